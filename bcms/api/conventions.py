"""What all resources of the API have in common: how lists are paged, and how words and choices are read."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.forms import BaseForm
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import CursorPagination, LimitOffsetPagination
from rest_framework.request import Request
from rest_framework.views import APIView

MOST_PER_PAGE = 1000
# PostgreSQL counts rows in 64 bits; nobody pages so far, but anybody may type it.
FARTHEST = 2**31 - 1
LONGEST_QUERY = 500

Word = TypeVar("Word", bound=StrEnum)


class Choice(serializers.ChoiceField):
    """One of some words; who sends another one is told which there are."""

    def __init__(self, choices: Sequence[Any], **kwargs: Any) -> None:
        super().__init__(choices, **kwargs)
        words = ", ".join(map(str, self.choices))
        self.error_messages["invalid_choice"] = f"“{{input}}” is not a choice here; send one of these: {words}."


class Pages(LimitOffsetPagination):
    """Lists of moderate length, by ?limit= (50, at most 1000) and ?offset=."""

    max_limit = MOST_PER_PAGE

    def get_offset(self, request: Request) -> int:
        return min(super().get_offset(request), FARTHEST)


class NewestFirst(CursorPagination):
    """Lists that grow while they are read: the newest first, by an opaque ?cursor= and ?limit= (50, at most 1000)."""

    ordering = "-pk"
    page_size_query_param = "limit"
    max_page_size = MOST_PER_PAGE

    def get_ordering(self, request: Request, queryset: QuerySet, view: APIView) -> tuple[str, ...]:
        return ("-pk",)


def words_of(request: Request, name: str = "q") -> str:
    """Search words from the query; a ValidationError for what no text can hold."""
    words = request.query_params.get(name, "").strip()
    if "\0" in words or len(words) > LONGEST_QUERY:
        raise ValidationError({name: f"Search with at most {LONGEST_QUERY} characters, none of them NUL."})
    return words


def word_of(request: Request, name: str, words: type[Word]) -> Word | None:
    """One of a fixed set of words from the query, None when it is not given; a ValidationError for any other."""
    given = request.query_params.get(name, "")
    if given and given not in set(words):
        raise ValidationError({name: f"There is no such {name}; choose one of {', '.join(words)}."})
    return words(given) if given else None


def refusal_of(form: BaseForm) -> ValidationError:
    """What a form of the pages says is wrong, as the API says it."""
    faults = [(name if name != "__all__" else "non_field_errors", list(some)) for name, some in form.errors.items()]
    return ValidationError({name: list(map(str, some)) for name, some in faults})
