"""Reads the members of a JSON object one by one; an error names the path of the member: "participants[1].taxon"."""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

Choice = TypeVar("Choice", bound=StrEnum)
# Numbers have to fit a column of the database.
LARGEST_NUMBER = 2**31 - 1


class JsonMemberError(ValueError):
    """A value of JSON is not what it has to be. path: of the value; the message is a sentence with the path."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path


class JsonMembers:
    """The members of an object that were not taken yet. path: where the object is, "" for the whole value."""

    def __init__(self, value: object, path: str) -> None:
        if not isinstance(value, Mapping):
            raise JsonMemberError(path, f"{path or 'The value'} is not an object.")
        self.path = path
        self._members: dict[str, Any] = dict(value)

    def get_path(self, name: str) -> str:
        """The path of a member."""
        return f"{self.path}.{name}" if self.path else name

    def take(self, name: str, default: object = None) -> object:
        """A member of any type; the default if it is missing. JsonMemberError if it is missing without a default."""
        if name in self._members:
            return self._members.pop(name)
        if default is None:
            raise self._make_error(name, "is missing")
        return default

    def take_text(self, name: str, default: str | None = "") -> str:
        """A string; the default if it is missing, which None does not allow."""
        value = self.take(name, default)
        if not isinstance(value, str):
            raise self._make_error(name, "is not a string")
        return value

    def take_flag(self, name: str) -> bool:
        """true or false; False if it is missing."""
        value = self._members.pop(name, False)
        if not isinstance(value, bool):
            raise self._make_error(name, "is neither true nor false")
        return value

    def take_number(self, name: str) -> float | None:
        """A finite number, None if it is missing or null."""
        value = self._members.pop(name, None)
        if value is None:
            return None
        if not _is_finite_number(value):
            raise self._make_error(name, "is neither a number nor null")
        return float(value)

    def take_whole_number(self, name: str) -> int | None:
        """A whole number, None if it is missing or null."""
        value = self._members.pop(name, None)
        if value is None:
            return None
        if not is_whole_number(value):
            raise self._make_error(name, "is neither a whole number nor null")
        return int(value)

    def take_choice(self, name: str, choices: type[Choice], default: Choice | None = None) -> Choice:
        """One of the values of an enumeration; the default if it is missing, which None does not allow."""
        value = self.take(name, default)
        if value not in tuple(choices):
            raise self._make_error(name, f"is not one of {', '.join(choices)}")
        return choices(str(value))

    def refuse_others(self) -> None:
        """Raise JsonMemberError if there are members that were not taken."""
        for name in self._members:
            raise self._make_error(name, "is not a member of this object")

    def _make_error(self, name: str, problem: str) -> JsonMemberError:
        path = self.get_path(name)
        return JsonMemberError(path, f"{path} {problem}.")


def parse_json_list(value: object, path: str) -> Sequence[Any]:
    """The elements of a JSON array; JsonMemberError for anything else."""
    if not isinstance(value, list | tuple):
        raise JsonMemberError(path, f"{path} is not a list.")
    return value


def is_whole_number(value: object) -> bool:
    """Whether a JSON value is a whole number that the database can store; true and false are none."""
    return type(value) is int and -LARGEST_NUMBER <= value <= LARGEST_NUMBER


def _is_finite_number(value: object) -> bool:
    if type(value) is int:
        return is_whole_number(value)
    return isinstance(value, float) and math.isfinite(value)
