"""REST: a curator's own work. The pages of the workspace call the same operations."""

import secrets
from typing import Any, cast

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.articles.models import Article
from annotations.curation import publishing, session
from annotations.curation.errors import CurationError, StaleDecisionError
from annotations.curation.models import Candidate, Curation
from annotations.curation.states import CurationState, ItemKind
from bcms.curation.access import get_article_to_curate_or_404, get_own_curation_or_404, list_own_curations
from bcms.curation.continuation.known_records import take_over_found_record
from bcms.curation.decision_form import LARGEST_REVISION
from bcms.curation.proposals import load_or_build_candidate_list
from bcms.curation.rest.decision_body import NewCurationDecision, store_decision_of_body
from bcms.curation.rest.serializers import (
    CurationDetail,
    CurationInList,
    ProposedItem,
    StoredDecision,
    build_proposed_item,
    load_producer_names,
)
from bcms.curation_projects.recipes import find_recipe_of_curation
from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.problems import ConflictProblem
from bcms.lib.rest.query_parameters import read_choice_parameter
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data
from evaluation.curation.sealing import check_record_not_sealed
from evaluation.errors import ChallengeError

# Members of the body that have another name in the form of the workspace.
MEMBER_NAMES = {"key": "keys"}
KIND_PARAMETER = OpenApiParameter("kind", str, description="Only items of this kind.", enum=[*ItemKind])


class NewCuration(RequestSerializer[Any]):
    article = serializers.CharField(max_length=100, help_text="PMID or opaque id of a public article")
    continue_record = serializers.BooleanField(
        default=False,
        help_text="also accept what the published digital abstract of the article has",
    )


class FinishedRecord(RequestSerializer[Any]):
    seen = serializers.IntegerField(
        min_value=0, max_value=LARGEST_REVISION, help_text="revision of the record that you have checked"
    )
    nothing_found = serializers.BooleanField(required=False, help_text="the record is empty because there is nothing")


class CurationAPIView(APIView):
    """Only for the curator; 404 for everybody else. A CurationError is a fault of a member, or else a conflict, as is a
    ChallengeError."""

    permission_classes = [permissions.IsAuthenticated]
    conflict_description = "not possible in the present state, or decided elsewhere since; the detail says what to do"

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, CurationError):
            exc = _convert_curation_error(exc)
        elif isinstance(exc, ChallengeError):
            exc = ConflictProblem(str(exc))
        return super().handle_exception(exc)

    def get_curation(self) -> Curation:
        return get_own_curation_or_404(self.request.user, self.kwargs["pk"])


def _convert_curation_error(error: CurationError) -> Exception:
    if isinstance(error, StaleDecisionError) or not error.field:
        return ConflictProblem(str(error))
    return ValidationError({MEMBER_NAMES.get(error.field, error.field): [str(error)]})


def _get_article_to_curate(request: Request, identifier: str) -> Article:
    """ValidationError, for the member article, if everybody sees no such article."""
    try:
        return get_article_to_curate_or_404(request.user, identifier)
    except Http404:
        message = "There is no public article with this PMID or id. Blind articles are curated where they are assigned."
        raise ValidationError({"article": message}) from None


def _show_candidates(curation: Curation) -> Curation:
    """Begin an assigned curation, and propose what servers have annotated by now."""
    recipe = find_recipe_of_curation(curation)
    candidates = load_or_build_candidate_list(curation.article, recipe) if recipe else None
    return session.show_candidates(curation.pk, candidates, timezone.now())


@extend_schema_view(get=extend_schema(summary="List your curations", responses=CurationInList(many=True)))
class CurationCollection(CurationAPIView, generics.ListAPIView[Curation]):
    """Your own work, changed last first."""

    serializer_class = CurationInList
    pagination_class = OffsetPages
    queryset = Curation.objects.none()

    def get_queryset(self) -> QuerySet[Curation]:
        return list_own_curations(self.request.user)

    @extend_schema(
        summary="Begin to curate an article",
        request=NewCuration,
        responses={200: CurationInList, 201: CurationInList},
    )
    def post(self, request: Request) -> Response:
        """Begin to curate a public article, or go on with it (200). What servers propose now is in candidates/."""
        values = validate_request_data(NewCuration, request)
        article = _get_article_to_curate(request, values["article"])
        user = cast(AbstractBaseUser, request.user)
        # One transaction: without a record to continue, nothing is begun.
        with transaction.atomic():
            curator = session.get_or_create_curator(user.pk, user.get_username())
            is_new = not Curation.objects.filter(curator=curator, article=article).exists()
            curation = session.get_or_begin_curation(curator, article)
            if curation.state != CurationState.FINISHED:
                curation = _show_candidates(curation)
            if values["continue_record"]:
                curation = take_over_found_record(curation, secrets.token_hex(8), user.pk, timezone.now())
        code = status.HTTP_201_CREATED if is_new else status.HTTP_200_OK
        return Response(CurationInList(curation).data, code)


class CurationOfArticle(CurationAPIView):
    """One of your curations, with what you decided and the record so far."""

    @extend_schema(summary="Get a curation", responses=CurationDetail)
    def get(self, request: Request, pk: int) -> Response:
        return Response(CurationDetail(self.get_curation()).data)


class CurationCandidates(CurationAPIView, generics.ListAPIView[Candidate]):
    """What servers propose in the article: by kind, the most confident first. Items that you decided stay listed."""

    serializer_class = ProposedItem
    pagination_class = OffsetPages
    query_parameters = ("kind",)
    queryset = Candidate.objects.none()

    @extend_schema(summary="List the candidates of a curation", parameters=[KIND_PARAMETER])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        rows = Candidate.objects.filter(candidate_list=self.get_curation().candidates_id)
        if kind := read_choice_parameter(request, "kind", ItemKind):
            rows = rows.filter(kind=kind)
        page = self.paginate_queryset(rows.order_by("kind", "position", "pk")) or []
        names = load_producer_names(page)
        return self.get_paginated_response(
            ProposedItem([build_proposed_item(row, names) for row in page], many=True).data
        )


class CurationDecisions(CurationAPIView):
    """The decisions of a curation."""

    @extend_schema(summary="Decide on items", request=NewCurationDecision, responses={201: StoredDecision})
    def post(self, request: Request, pk: int) -> Response:
        """Accept, reject, correct, add or skip items, or undo the last decision.

        Nothing is stored if one of the items was decided after `seen`: 409.
        """
        curation = self.get_curation()
        values = validate_request_data(NewCurationDecision, request)
        user = cast(AbstractBaseUser, request.user)
        decision = store_decision_of_body(curation, values, user.pk, timezone.now())
        return Response(StoredDecision(decision).data, status.HTTP_201_CREATED)


class OpenCuration(CurationAPIView):
    """A curation that was assigned, and waits for its curator."""

    @extend_schema(summary="Open an assigned curation", request=None, responses=CurationInList)
    def post(self, request: Request, pk: int) -> Response:
        """Begin a curation of a project or manuscript; what servers propose now is then in candidates/. Of one that is
        open, this renews the candidates."""
        curation = self.get_curation()
        if curation.state == CurationState.FINISHED:
            raise ConflictProblem("This curation is finished. Open it again to change it.")
        return Response(CurationInList(_show_candidates(curation)).data)


class FinishCuration(CurationAPIView):
    """The end of a curation."""

    @extend_schema(summary="Finish a curation", request=FinishedRecord, responses=CurationInList)
    def post(self, request: Request, pk: int) -> Response:
        """Store the record. Only you see it until you propose it and reviewers publish it."""
        curation = self.get_curation()
        values = validate_request_data(FinishedRecord, request)
        finished = session.finish_curation(
            curation.pk, values["seen"], timezone.now(), nothing_found=values.get("nothing_found", False)
        )
        return Response(CurationInList(finished).data)


class ReopenCuration(CurationAPIView):
    """A finished curation that is changed again."""

    @extend_schema(summary="Open a finished curation again", request=None, responses=CurationInList)
    def post(self, request: Request, pk: int) -> Response:
        """What was finished or published stays as it is until you finish it again."""
        return Response(CurationInList(session.reopen_curation(self.get_curation().pk, timezone.now())).data)


class ProposeCuration(CurationAPIView):
    """A finished curation that is to be published."""

    @extend_schema(summary="Propose a curation for publication", request=None, responses=CurationInList)
    def post(self, request: Request, pk: int) -> Response:
        """Ask reviewers to publish the record with its article."""
        curation = self.get_curation()
        check_record_not_sealed(curation)
        publishing.propose_curation(curation.pk, timezone.now())
        return Response(CurationInList(self.get_curation()).data)
