"""The version of an article's text that the query parameter `text` asks for."""

from dataclasses import dataclass

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request

from annotations.articles.models import Article, OlderText
from annotations.articles.text_versions import get_unsaved_copy_with_older_text
from bcms.lib.rest.numbers import MAX_INT32, parse_positive_int32
from bcms.lib.rest.query_parameters import read_short_text_parameter

TEXT_PARAMETER = OpenApiParameter(
    "text",
    {"type": "integer", "minimum": 1, "maximum": MAX_INT32},
    description="A version of the text, listed in older_texts of the article. Default: the current one.",
)


@dataclass(frozen=True, slots=True)
class RequestedText:
    """An article with its current text or, in memory only, with an older one."""

    article: Article
    older: bool = False


def get_requested_text(request: Request, article: Article) -> RequestedText:
    """The article with the text that `text` names: 1 query for an older one.

    ValidationError if the parameter is not a number, NotFound if this version is not kept.
    """
    version_text = read_short_text_parameter(request, "text")
    version = parse_positive_int32(version_text)
    if "text" in request.query_params and version is None:
        raise ValidationError({"text": "Enter a version number from older_texts of the article."})
    if version is None or version == article.text_version:
        return RequestedText(article)
    try:
        return RequestedText(get_unsaved_copy_with_older_text(article, version), older=True)
    except OlderText.DoesNotExist:
        raise NotFound(
            f"Version {version} of this text is not kept. The article lists the kept versions in older_texts."
        ) from None
