"""REST: the list of articles, and the upload of article files by organizers and staff."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotAuthenticated, PermissionDenied, ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.articles.imports.article_storage import ArticleStorageError
from annotations.articles.models import Corpus
from annotations.articles.queries import format_pmid_or_opaque
from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.errors import FormatError, RefusedFileError
from bcms.article_uploads.article_import import (
    MEBIBYTES,
    ImportedArticles,
    can_upload_as_staff_or_organizer,
    import_article_file_all_or_nothing,
    import_blind_article_file_all_or_nothing,
)
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.search.api import ArticleList
from evaluation.challenges.api import CONFLICT_RESPONSE, OrganizerAPIView
from evaluation.challenges.deletion.corpus_deletion import list_own_corpora
from evaluation.challenges.setup.blind_uploads import check_corpus_takes_uploads
from servers.teams.permissions import User

MOST_FAULTS = 100


class SentArticles(RequestSerializer[Any]):
    file = serializers.FileField(help_text=f"optionally gzipped, at most {MEBIBYTES} MiB")
    format = ExplainedChoiceField(
        list(ArticleFormat), required=False, help_text="by default detected from the beginning of the file"
    )
    name = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=250,
        help_text="PMID, PMCID or DOI, if the file contains one article",
    )


class ArticlesTakenIn(serializers.Serializer[ImportedArticles]):
    format = serializers.ChoiceField(list(ArticleFormat))
    new = serializers.IntegerField(source="counts.new")
    changed = serializers.IntegerField(
        source="counts.changed",
        help_text="annotations of the old text are kept with it; 0 unless you are an administrator",
    )
    unchanged = serializers.IntegerField(source="counts.unchanged")
    articles = serializers.SerializerMethodField(help_text="identifiers of all articles in the file")
    warnings = serializers.ListField(child=serializers.CharField(), help_text="warnings about the file")

    def get_articles(self, imported: ImportedArticles) -> list[str]:
        return [format_pmid_or_opaque(article) for article in imported.articles]


class ArticleCollection(ArticleList):
    """The articles that you may see and that match all filters given. Every filter is optional."""

    parser_classes = [MultiPartParser]

    @extend_schema(
        summary="Upload articles",
        request={"multipart/form-data": SentArticles},
        responses={200: ArticlesTakenIn, 201: ArticlesTakenIn},
    )
    def post(self, request: Request) -> Response:
        """Import all articles of a file in PubMed XML, JATS, BioC, PubTator, PubAnnotation, brat, UIMA XMI, Web
        Annotation, HTML, PDF, DOCX or plain text. For organizers of challenges and administrators. Only administrators
        change articles that are here already: for others these stay as they are, and a warning names those that differ.
        Annotations in the file are not imported, and a warning says how many there are."""
        _check_may_upload(request)
        sent = SentArticles(data=request.data)
        sent.is_valid(raise_exception=True)
        imported = _import_sent_articles(sent.validated_data, request.user)
        code = status.HTTP_201_CREATED if imported.counts.new else status.HTTP_200_OK
        return Response(ArticlesTakenIn(imported).data, status=code)


class SnapshotsTakenIn(serializers.Serializer[ImportedArticles]):
    format = serializers.ChoiceField(list(ArticleFormat))
    new = serializers.IntegerField(source="counts.new")
    unchanged = serializers.IntegerField(
        source="counts.unchanged", help_text="that a blind corpus of the challenge had already"
    )
    articles = serializers.SerializerMethodField(help_text="opaque ids of all articles in the file, in its order")
    warnings = serializers.ListField(child=serializers.CharField(), help_text="warnings about the file")

    def get_articles(self, imported: ImportedArticles) -> list[str]:
        return [article.opaque for article in imported.articles]


class BlindCorpusArticles(OrganizerAPIView):
    parser_classes = [MultiPartParser]

    @extend_schema(
        summary="Upload articles to a blind corpus",
        request={"multipart/form-data": SentArticles},
        responses={200: SnapshotsTakenIn, 201: SnapshotsTakenIn, **CONFLICT_RESPONSE},
    )
    def post(self, request: Request, slug: str, corpus: str) -> Response:
        """Append all articles of a file, in the formats of articles/, to a blind corpus of the challenge. Nobody else
        sees them, and no public article appears or changes, until the test is published: then they become public
        articles with their texts. Not possible once a phase with the corpus has begun or has a gold standard, or
        curators label it. If a blind corpus of the challenge has an article already, that one is used, with the text
        that it has; a warning names those that differ. Annotations in the file are ignored."""
        blind_corpus = get_object_or_404(list_own_corpora(self.get_challenge()), slug=corpus)
        check_corpus_takes_uploads(blind_corpus)
        sent = SentArticles(data=request.data)
        sent.is_valid(raise_exception=True)
        imported = _import_sent_articles(sent.validated_data, request.user, blind_corpus)
        code = status.HTTP_201_CREATED if imported.counts.new else status.HTTP_200_OK
        return Response(SnapshotsTakenIn(imported).data, status=code)


def _import_sent_articles(values: dict[str, Any], user: User, blind_corpus: Corpus | None = None) -> ImportedArticles:
    """Import the file in the validated values for the user; ValidationError with its errors."""
    file_format = ArticleFormat(values["format"]) if "format" in values else None
    file = (values["file"].file, values["file"].name, file_format, values.get("name", ""))
    try:
        if blind_corpus is not None:
            return import_blind_article_file_all_or_nothing(*file, corpus=blind_corpus, user=user)
        return import_article_file_all_or_nothing(*file, user=user)
    except RefusedFileError as error:
        raise ValidationError({"file": [str(fault) for fault in error.faults[:MOST_FAULTS]]}) from error
    except (FormatError, ArticleStorageError) as error:
        raise ValidationError({"file": [str(error)]}) from error


def _check_may_upload(request: Request) -> None:
    """Raise NotAuthenticated or PermissionDenied unless the user organizes a challenge or is an administrator."""
    if not request.user.is_authenticated:
        raise NotAuthenticated
    if not can_upload_as_staff_or_organizer(request.user):
        raise PermissionDenied("Only organizers of a challenge and administrators can upload articles.")
