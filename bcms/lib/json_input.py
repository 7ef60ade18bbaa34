"""Parse JSON that comes from outside: strict, of bounded depth, and with strings that PostgreSQL can store."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

MOST_NESTING = 64
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# Escapes of NUL and surrogates; JSON without them has neither, as UTF-8 has no surrogates and JSON no raw NUL.
SUSPICIOUS_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class JsonInputError(ValueError):
    """The text is not JSON, or JSON that is not accepted; the message says why and where, in one sentence."""


def parse_bounded_json(body: bytes) -> Any:
    """The value of a JSON text in UTF-8, at most 64 levels deep.

    Raises JsonInputError for anything that is not JSON (RFC 8259; also NaN and Infinity), for deeper values, and for
    strings and names with NUL or lone surrogates, which the database cannot store.
    """
    try:
        text = body.decode("utf-8-sig")
        value = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise _make_nesting_error() from None
    except JsonInputError:
        raise
    except UnicodeDecodeError as error:
        raise JsonInputError(f"The JSON is not in UTF-8: byte {error.start + 1} is wrong.") from None
    except json.JSONDecodeError as error:
        reason = f"{error.msg} in line {error.lineno}, column {error.colno}"
        raise JsonInputError(f"This is not JSON: {reason}.") from None
    except ValueError:
        # Python refuses integers of thousands of digits.
        raise JsonInputError("The JSON has a number with too many digits.") from None
    if text.count("[") + text.count("{") > MOST_NESTING:
        _check_depth(value)
    if SUSPICIOUS_ESCAPE.search(text):
        _check_strings(value)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise JsonInputError(f"{name} is not a number in JSON; send null or omit the value.")


def _make_nesting_error() -> JsonInputError:
    return JsonInputError(f"The JSON is nested more than {MOST_NESTING} levels deep.")


def _check_depth(value: Any) -> None:
    """Raise JsonInputError for a value that is nested too deeply. Only objects and arrays are kept in memory."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MOST_NESTING):
        level = [child for parent in level for child in _iter_values(parent) if isinstance(child, dict | list)]
    if level:
        raise _make_nesting_error()


def _iter_values(parent: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return parent.values() if isinstance(parent, dict) else parent


def _check_strings(value: Any) -> None:
    """Raise JsonInputError for a string that cannot be stored."""
    for path, text in _iter_strings("", value):
        if match := UNSTORABLE.search(text):
            where = path or "the value"
            raise JsonInputError(f"The string at {where} contains the character U+{ord(match[0]):04X}; remove it.")


def _iter_strings(path: str, part: Any) -> Iterator[tuple[str, str]]:
    """All strings in the part, whose nesting was checked, with their paths; one at a time, as there can be millions."""
    if isinstance(part, str):
        yield path, part
    for child_path, child in _iter_children(path, part):
        yield from _iter_strings(child_path, child)


def _iter_children(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The members of an object or array with their paths; names are checked as strings at the same path."""
    if isinstance(value, dict):
        for name, part in value.items():
            printable = name if name.isprintable() and len(name) <= 100 else "?"
            member = f"{path}.{printable}" if path else printable
            yield f"the name {member}", name
            yield member, part
    elif isinstance(value, list):
        yield from ((f"{path}[{index}]", part) for index, part in enumerate(value))
