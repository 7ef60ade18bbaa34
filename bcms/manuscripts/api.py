"""REST: manuscripts of journals, which are private until they are published."""

from typing import Any, cast

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, permissions, status
from rest_framework.exceptions import NotFound, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.articles.imports.article_storage import ArticleStorageError
from annotations.articles.models import Article
from annotations.curation.manuscripts import progress
from annotations.curation.manuscripts.assignment import (
    assign_curator,
    list_curations_of_assigned_curators,
    revoke_assignment,
)
from annotations.curation.manuscripts.errors import ManuscriptError
from annotations.curation.manuscripts.links import create_link, revoke_link
from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.manuscripts.publication import AttachedIds, publish_manuscript
from annotations.curation.manuscripts.states import LinkRole
from annotations.curation.manuscripts.submission import ManuscriptInput
from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.errors import FormatError, RefusedFileError
from bcms.curation_projects.forms import ProjectPersonForm
from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.problems import ConflictProblem
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from bcms.manuscripts.author_mail import mail_link_to_author, remind_author
from bcms.manuscripts.curator_mail import mail_assignment_to_curator
from bcms.manuscripts.intake import (
    build_article_of_file,
    build_article_of_passages,
    can_submit_manuscripts,
    store_and_enqueue_manuscript,
)
from bcms.manuscripts.keywords import list_keywords
from bcms.manuscripts.queries import check_may_manage, list_managed_manuscripts
from bcms.manuscripts.serializers import (
    MadeLink,
    ManuscriptInFull,
    ManuscriptInList,
    NewLink,
    NewManuscript,
    NewManuscriptCurator,
    NewManuscriptFile,
    PublicIds,
    Refusal,
    StoredManuscript,
)
from bcms.manuscripts.server_answers import list_server_answers
from evaluation.curation.sealing import is_record_publishable
from servers.calls.queues.manuscript_calls import remove_calls_for_manuscript
from servers.notifications.site_links import build_site_url

MOST_FAULTS = 100


class ManuscriptAPIView(APIView):
    """For the journal that sent the manuscript, or administrators if it has lost its right; everybody else gets 404.

    A journal that has lost its right only reads: 403. Answers 409 with the message of a ManuscriptError.
    """

    permission_classes = [permissions.IsAuthenticated]
    conflict_description = "not possible in its present state; the detail says why"

    def get_manuscript(self) -> Manuscript:
        manuscript = get_object_or_404(list_managed_manuscripts(self.request.user), pk=self.kwargs["pk"])
        if self.request.method not in permissions.SAFE_METHODS:
            check_may_manage(self.request.user)
        return manuscript

    def build_response(self) -> Response:
        return Response(ManuscriptInFull(_add_answers(self.get_manuscript())).data)

    def handle_exception(self, exc: Exception) -> Response:
        return super().handle_exception(ConflictProblem(str(exc)) if isinstance(exc, ManuscriptError) else exc)


def _add_answers(manuscript: Manuscript) -> Manuscript:
    """The manuscript with what servers have said so far, its links and its curators: 7 queries."""
    answered = cast(Any, manuscript)
    answered.server_answers = list_server_answers(manuscript.article)
    answered.keywords = list_keywords(manuscript.article)
    answered.ordered_links = list(manuscript.links.order_by("pk"))
    answered.curators = list(list_curations_of_assigned_curators(manuscript))
    return manuscript


class ManuscriptList(generics.ListAPIView[Manuscript]):
    serializer_class = ManuscriptInList
    pagination_class = OffsetPages
    permission_classes = [permissions.IsAuthenticated]
    queryset = Manuscript.objects.none()

    def get_queryset(self) -> QuerySet[Manuscript]:
        return list_managed_manuscripts(self.request.user)

    @extend_schema(summary="List your manuscripts")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The manuscripts that your account has sent, the newest first. Administrators also get those of journals that
        have lost the right to submit manuscripts."""
        return super().get(request, *args, **kwargs)

    @extend_schema(
        summary="Submit a manuscript",
        request=NewManuscript,
        responses={201: StoredManuscript},
    )
    def post(self, request: Request) -> Response:
        """Store a manuscript, and call the servers whose teams accepted the confidentiality terms, before all their
        other calls. Nobody else sees it until it is published. The answer has a link for the author and one for
        reviewers. A form (multipart/form-data) can have a file with one article, in any format of articles/, instead of
        title and passages. For accounts with the right to submit manuscripts."""
        if not can_submit_manuscripts(request.user):
            raise PermissionDenied("Ask an administrator for the right to submit manuscripts as a journal.")
        values = validate_request_data(NewManuscriptFile if "file" in request.data else NewManuscript, request)
        manuscript, tokens = _store_manuscript(request, _build_article(values), values)
        links = {f"{role}_link": build_site_url("manuscript-link", token) for role, token in tokens.items()}
        stored = _add_answers(list_managed_manuscripts(request.user).get(pk=manuscript.pk))
        for name, url in links.items():
            setattr(stored, name, url)
        return Response(StoredManuscript(stored).data, status=status.HTTP_201_CREATED)


def _build_article(values: dict[str, Any]) -> Article:
    """The text that was sent, as an article that is not stored; ValidationError with its faults."""
    field = "file" if "file" in values else "passages"
    try:
        if field == "passages":
            return build_article_of_passages(values["title"], values["passages"])
        file, file_format = values["file"], values.get("format")
        return build_article_of_file(
            file.file, file.name, file.size, ArticleFormat(file_format) if file_format else None
        )
    except RefusedFileError as error:
        raise ValidationError({field: [str(fault) for fault in error.faults[:MOST_FAULTS]]}) from error
    except (FormatError, ArticleStorageError, ManuscriptError) as error:
        raise ValidationError({field: [str(error)]}) from error


@transaction.atomic
def _store_manuscript(
    request: Request, article: Article, values: dict[str, Any]
) -> tuple[Manuscript, dict[LinkRole, str]]:
    """Store it with both links, {role: token}, and invite the author if there is an address."""
    now = timezone.now()
    fields = ("reference", "author_mail", "guidelines", "public_on")
    given = ManuscriptInput(**{name: values[name] for name in fields if name in values})
    try:
        manuscript = store_and_enqueue_manuscript(request.user, article, given, now)
    except ManuscriptError as error:
        raise ValidationError({error.field: str(error)}) from error
    except ArticleStorageError as error:
        raise ValidationError(str(error)) from error
    tokens = {role: create_link(manuscript, role, now, values["link_days"]) for role in LinkRole}
    if manuscript.author_mail:
        progress.claim_reminder(manuscript, now)
        mail_link_to_author(manuscript, tokens[LinkRole.AUTHOR], is_reminder=False)
    return manuscript, tokens


class ManuscriptDetail(ManuscriptAPIView):
    @extend_schema(summary="Read a manuscript", responses=ManuscriptInFull)
    def get(self, request: Request, pk: int) -> Response:
        """Its state, its links, and the servers that have answered."""
        return self.build_response()


class ManuscriptLinks(ManuscriptAPIView):
    @extend_schema(summary="Make a link", request=NewLink, responses={201: MadeLink})
    def post(self, request: Request, pk: int) -> Response:
        """A further link for the author or for reviewers. If the author took no part, one for the author opens the
        manuscript again."""
        manuscript, values = self.get_manuscript(), validate_request_data(NewLink, request)
        progress.check_needs_links(manuscript)
        role = LinkRole(values["role"])
        if role is LinkRole.AUTHOR:
            progress.reopen_if_refused(manuscript.pk)
        token = create_link(manuscript, role, timezone.now(), values["days"])
        made = MadeLink({"url": build_site_url("manuscript-link", token)})
        return Response(made.data, status=status.HTTP_201_CREATED)


class ManuscriptLinkDetail(ManuscriptAPIView):
    @extend_schema(summary="Revoke a link", responses={204: None})
    def delete(self, request: Request, pk: int, link: int) -> Response:
        """The link opens nothing any more, also where it is open."""
        if not revoke_link(self.get_manuscript(), link, timezone.now()):
            raise NotFound("The manuscript has no such link, or it is revoked already.")
        return Response(status=status.HTTP_204_NO_CONTENT)


class ManuscriptCurators(ManuscriptAPIView):
    @extend_schema(summary="Assign a curator", request=NewManuscriptCurator, responses=ManuscriptInFull)
    def post(self, request: Request, pk: int) -> Response:
        """The curator gets a mail, finds the manuscript in the worklist, and can take over the author's record. What
        the curator finishes is published in place of that, and names both."""
        manuscript, person = self.get_manuscript(), _find_person(request)
        curation, is_new = assign_curator(manuscript.pk, person.pk, person.get_username())
        if is_new:
            mail_assignment_to_curator(manuscript, curation.pk, person)
        return self.build_response()


class ManuscriptCuratorDetail(ManuscriptAPIView):
    @extend_schema(summary="Revoke an assignment", responses={204: None})
    def delete(self, request: Request, pk: int, curation: int) -> Response:
        """The curator sees the manuscript no longer, and nothing of the curator's work is published. It is there again
        if you assign the same person."""
        if not revoke_assignment(self.get_manuscript().pk, curation):
            raise NotFound("The manuscript has no such curator, or the assignment is revoked already.")
        return Response(status=status.HTTP_204_NO_CONTENT)


def _find_person(request: Request) -> AbstractBaseUser:
    """The account that the body names; ValidationError if there is none."""
    data = validate_request_data(NewManuscriptCurator, request)
    return cast(AbstractBaseUser, get_cleaned_form_data(ProjectPersonForm(data))["person"])


class RefuseManuscript(ManuscriptAPIView):
    @extend_schema(summary="Record that the author takes no part", request=Refusal, responses=ManuscriptInFull)
    def post(self, request: Request, pk: int) -> Response:
        """With the reason. The author's link opens no workspace any more."""
        progress.refuse_manuscript(self.get_manuscript().pk, validate_request_data(Refusal, request)["reason"])
        return self.build_response()


class RemindAuthor(ManuscriptAPIView):
    @extend_schema(summary="Remind the author", request=None, responses=ManuscriptInFull)
    def post(self, request: Request, pk: int) -> Response:
        """Send the author a mail with a new link, at most once in 24 hours. Earlier links stay valid. Reminders are
        sent each week without this, for four weeks or until the author has finished."""
        remind_author(self.get_manuscript(), timezone.now())
        return self.build_response()


class WithdrawManuscript(ManuscriptAPIView):
    @extend_schema(summary="Withdraw a manuscript", request=None, responses=ManuscriptInFull)
    def post(self, request: Request, pk: int) -> Response:
        """It stays private for good, its links open nothing any more, and no other server gets it."""
        manuscript = self.get_manuscript()
        with transaction.atomic():
            progress.withdraw_manuscript(manuscript.pk, timezone.now())
            remove_calls_for_manuscript(manuscript.article)
        return self.build_response()


class PublishManuscript(ManuscriptAPIView):
    @extend_schema(summary="Publish a manuscript", request=PublicIds, responses=ManuscriptInFull)
    def post(self, request: Request, pk: int) -> Response:
        """Show everybody the article, and its digital abstract if the author, or a curator that you assigned, has
        finished it. Nothing is waited for. If it is published, attach a PMID or DOI that was not known then."""
        manuscript, values = self.get_manuscript(), validate_request_data(PublicIds, request)
        ids = AttachedIds(values.get("pmid"), values.get("doi", ""))
        publisher = cast(int, request.user.pk)
        publish_manuscript(manuscript.pk, timezone.now(), is_record_publishable, ids, publisher)
        return self.build_response()
