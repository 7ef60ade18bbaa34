"""Articles sent in by organizers and staff."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, PermissionDenied, ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.article_storing import HiddenArticleError, StoringError
from annotations.formats.article_sniffing import ArticleFormat
from annotations.formats.errors import FormatError, RefusedFileError
from bcms.api.articles import identifier_of
from bcms.api.conventions import Choice
from bcms.api.finding import ArticleList
from bcms.api.rights import demand_organizer
from bcms.taking_in import LARGEST_UPLOAD, TakenIn, take_in

MOST_FAULTS = 100
MEBIBYTES = LARGEST_UPLOAD // 2**20
# What stands around a file in the body of a request.
AROUND = 1 << 16


class TooLarge(APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too-large"
    default_detail = (
        f"The file is larger than {MEBIBYTES} MiB: split it or send it gzipped, or ask the site's staff to import it."
    )


class SentArticles(serializers.Serializer):
    file = serializers.FileField(help_text=f"gzipped or not, at most {MEBIBYTES} MiB")
    format = Choice(list(ArticleFormat), required=False, help_text="only where it is not known by how the file begins")
    name = serializers.CharField(
        required=False, max_length=250, help_text="PMID, PMCID or DOI of the one article in the file"
    )


class ArticlesTakenIn(serializers.Serializer):
    format = serializers.ChoiceField(list(ArticleFormat))
    new = serializers.IntegerField(source="counts.new")
    changed = serializers.IntegerField(source="counts.changed", help_text="annotations of the old text are kept apart")
    unchanged = serializers.IntegerField(source="counts.unchanged")
    articles = serializers.SerializerMethodField(help_text="identifiers of all articles of the file")
    warnings = serializers.ListField(child=serializers.CharField(), help_text="what is odd in the file")

    def get_articles(self, taken: TakenIn) -> list[str]:
        return [identifier_of(article) for article in taken.articles]


class Articles(ArticleList):
    """The articles that you may see and that have all that is asked for. Every filter may be left out."""

    parser_classes = [MultiPartParser]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal() or int(length) > LARGEST_UPLOAD + AROUND:
            raise TooLarge
        super().initial(request, *args, **kwargs)

    @extend_schema(
        summary="Send in articles",
        request={"multipart/form-data": SentArticles},
        responses={200: ArticlesTakenIn, 201: ArticlesTakenIn},
    )
    def post(self, request: Request) -> Response:
        """All articles of a file in any format that is read here: PubMed XML, JATS, BioC, PubTator, PubAnnotation,
        HTML, PDF, DOCX or plain text. For organizers of challenges and staff. Annotations in the file are left out."""
        demand_organizer(request)
        sent = SentArticles(data=request.data)
        sent.is_valid(raise_exception=True)
        taken = taken_from(request, sent.validated_data)
        code = status.HTTP_201_CREATED if taken.counts.new else status.HTTP_200_OK
        return Response(ArticlesTakenIn(taken).data, status=code)


def taken_from(request: Request, sent: dict[str, Any]) -> TakenIn:
    form = ArticleFormat(sent["format"]) if "format" in sent else None
    try:
        return take_in(sent["file"].file, sent["file"].name, request.user, form, sent.get("name", ""))
    except RefusedFileError as error:
        raise ValidationError({"file": [str(fault) for fault in error.faults[:MOST_FAULTS]]}) from error
    except HiddenArticleError as error:
        raise PermissionDenied(str(error)) from error
    except (FormatError, StoringError) as error:
        raise ValidationError({"file": [str(error)]}) from error
