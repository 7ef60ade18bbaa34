"""Reading JSON into frozen dataclasses.

Fields that a record does not have are ignored, so a client keeps working when the API gains some. A field that is
missing or of another type raises UnexpectedAnswerError, which names it.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from bcms_client.errors import UnexpectedAnswerError

T = TypeVar("T")
HINT = "Is this the address of a meta-server, and this package as new as the server?"


def make_reader(record: type[T]) -> Callable[[Any], T]:
    """A function that makes such a record of decoded JSON."""
    return lambda data: cast(T, _read_record(record, data, record.__name__))


def make_list_reader(record: type[T]) -> Callable[[Any], tuple[T, ...]]:
    """A function that makes such records of a decoded JSON list."""
    return lambda data: cast(tuple[T, ...], _read_value(tuple[record, ...], data, record.__name__))  # type: ignore[valid-type]


@cache
def _list_fields(record: type) -> tuple[tuple[str, Any, bool], ...]:
    """(name, type, whether it has to be there) of each field."""
    hints = get_type_hints(record)
    return tuple((each.name, hints[each.name], each.default is MISSING) for each in fields(record))


def _read_record(record: type, data: Any, where: str) -> Any:
    _check(isinstance(data, dict), where)
    values = {}
    for name, hint, required in _list_fields(record):
        _check(name in data or not required, f"{where}.{name}")
        if name in data:
            values[name] = _read_value(hint, data[name], f"{where}.{name}")
    return record(**values)


def _read_value(hint: Any, data: Any, where: str) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return data
    if origin in (Union, UnionType):
        [wanted] = [each for each in arguments if each is not NoneType]
        return None if data is None else _read_value(wanted, data, where)
    if origin is tuple:
        _check(isinstance(data, list), where)
        return tuple(_read_value(arguments[0], each, f"{where}[{number}]") for number, each in enumerate(data))
    if origin is Mapping:
        _check(isinstance(data, dict), where)
        return {name: _read_value(arguments[1], each, f"{where}.{name}") for name, each in data.items()}
    reader = _read_record if is_dataclass(hint) else _read_scalar
    return reader(hint, data, where)


def _read_scalar(hint: type, data: Any, where: str) -> Any:
    if hint is datetime:
        _check(isinstance(data, str), where)
        return _read_time(data, where)
    allowed = (int, float) if hint is float else (hint,)
    # True is an int in Python, but not in JSON.
    _check(isinstance(data, allowed) and (hint is bool or not isinstance(data, bool)), where)
    return data


def _read_time(text: str, where: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise _make_error(where) from None


def _check(fine: bool, where: str) -> None:
    if not fine:
        raise _make_error(where)


def _make_error(where: str) -> UnexpectedAnswerError:
    return UnexpectedAnswerError(
        f"The answer is not what the API describes: {where} is missing or of another type.", HINT
    )
