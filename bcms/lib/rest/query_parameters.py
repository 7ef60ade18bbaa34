"""Read parameters from the query string of a request."""

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

LONGEST_QUERY = 500
FLAG_VALUES = {"0": False, "false": False, "1": True, "true": True}
EMPTY_ERROR = "Send a value, or leave it out."
ParameterChoice = TypeVar("ParameterChoice", bound=StrEnum)


def list_query_parameters(view_class: type[APIView]) -> tuple[str, ...]:
    """The parameters that a view reads: its own, which it lists as query_parameters, and those of its pages."""
    pages = getattr(view_class, "pagination_class", None)
    return (*getattr(view_class, "query_parameters", ()), *getattr(pages, "query_parameters", ()))


def refuse_unknown_parameters(query: Iterable[str], known: Iterable[str]) -> None:
    """ValidationError that names each unknown query parameter. Ignored, it would change what the answer means."""
    names = [*known]
    offered = f"The parameters are {', '.join(names)}." if names else "This address has no parameters."
    if unknown := [name for name in query if name not in names]:
        raise ValidationError(dict.fromkeys(unknown, f"Unknown parameter. {offered}"))


def read_number_parameter(request: Request, parameter_name: str, default: int, *, low: int, high: int) -> int:
    """A whole number from low to high from the query string. Raises ValidationError for any other value."""
    text = request.query_params.get(parameter_name)
    if text is None:
        return default
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None
    if number is None or not low <= number <= high:
        raise ValidationError({parameter_name: f"Send a whole number from {low} to {high}."})
    return number


def read_short_text_parameter(request: Request, parameter_name: str = "q") -> str:
    """A search text from the query string. Raises ValidationError when it is too long or contains NUL."""
    text = request.query_params.get(parameter_name, "")
    if "\0" in text or len(text) > LONGEST_QUERY:
        raise ValidationError({parameter_name: f"Send at most {LONGEST_QUERY} characters, without NUL."})
    return text.strip()


def read_filled_text_parameter(request: Request, parameter_name: str) -> str:
    """A text from the query string, "" if the parameter is missing. Raises ValidationError when it is there but empty,
    and as read_short_text_parameter() does."""
    text = read_short_text_parameter(request, parameter_name)
    if parameter_name in request.query_params and not text:
        raise ValidationError({parameter_name: EMPTY_ERROR})
    return text


def read_flag_parameter(request: Request, parameter_name: str) -> bool:
    """Whether a parameter of the query string is 1 or true; ValidationError for values other than 1, 0, true, false."""
    value = request.query_params.get(parameter_name, "false").lower()
    if value not in FLAG_VALUES:
        raise ValidationError({parameter_name: "Send 1 or true for yes, 0 or false for no."})
    return FLAG_VALUES[value]


def read_choice_parameter(
    request: Request, parameter_name: str, choices: type[ParameterChoice]
) -> ParameterChoice | None:
    """A choice from the query string, None when it is missing. Raises ValidationError for any other value."""
    value = request.query_params.get(parameter_name)
    if value is not None and value not in set(choices):
        raise ValidationError(
            {parameter_name: f"There is no such {parameter_name}; choose one of {', '.join(choices)}."}
        )
    return None if value is None else choices(value)
