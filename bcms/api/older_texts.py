"""An article with one of the texts that it had, as `text=VERSION` asks for it."""

from dataclasses import dataclass

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request

from annotations.models import Article, OlderText
from annotations.older_texts import with_older_text
from bcms.api.conventions import words_of
from bcms.pages.filters import whole

TEXT = OpenApiParameter(
    "text", OpenApiTypes.INT, description="A version of the text, of older_texts of the article; usually the present."
)


@dataclass(frozen=True, slots=True)
class Shown:
    """An article with its present text, or in memory with an older one."""

    article: Article
    older: bool = False


def shown_with_text(request: Request, article: Article) -> Shown:
    """With the text that is asked for: 1 query for an older one."""
    given = words_of(request, "text")
    version = whole(given)
    if given and version is None:
        raise ValidationError({"text": "Give the number of a version, one of older_texts of the article."})
    if version is None or version == article.text_version:
        return Shown(article)
    try:
        return Shown(with_older_text(article, version), older=True)
    except OlderText.DoesNotExist:
        raise NotFound(f"Version {version} of this text is not kept; older_texts of the article has what is.") from None
