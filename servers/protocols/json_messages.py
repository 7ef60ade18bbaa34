"""JSON from strangers: UTF-8, bounded depth and number of values, and never half of it."""

import json
import re
from enum import StrEnum

from servers import diagnosis
from servers.protocols.encodings import misfit
from servers.protocols.xmlrpc import MOST_NESTING, MOST_VALUES

STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.S)
BRACKET = re.compile(rb"[\[\]{}]")
OPENING = b"[{"
SAID = {"Extra data": "something follows its end", "Expecting value": "no value begins"}


class JsonFault(StrEnum):
    NOT_JSON = "not-json"
    CUT_OFF = "cut-off"
    WRONG_ENCODING = "wrong-encoding"
    TOO_DEEP = "too-deep"
    TOO_MANY = "too-many-values"


def load(body: bytes) -> object:
    """The value of a body. CallError when it is no JSON, not in UTF-8, too deep (16) or has too many values (200,000).

    What is in it is counted before anything is built.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise diagnosis.of_json(JsonFault.WRONG_ENCODING, misfit(error), body) from error
    check_size(body)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        said = SAID.get(error.msg, error.msg)
        kind = JsonFault.CUT_OFF if broken_off(error) else JsonFault.NOT_JSON
        raise diagnosis.of_json(kind, f"{said} in line {error.lineno}, column {error.colno}", body) from error
    except ValueError as error:
        # Whole numbers of thousands of digits.
        raise diagnosis.of_json(JsonFault.NOT_JSON, str(error), body) from error


def broken_off(error: json.JSONDecodeError) -> bool:
    """Whether an object or array ends before its end."""
    text = error.doc.strip()
    ends_early = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    return text.startswith(("{", "[")) and ends_early


def check_size(body: bytes) -> None:
    """CallError when the values between commas, or the brackets inside each other, are too many."""
    bare = STRING.sub(b"", body)
    if bare.count(b",") + bare.count(b"[") + bare.count(b"{") > MOST_VALUES:
        raise diagnosis.of_json(JsonFault.TOO_MANY, f"more than {MOST_VALUES:,}", body)
    depth = 0
    for bracket in BRACKET.findall(bare):
        depth += 1 if bracket in OPENING else -1
        if depth > MOST_NESTING:
            raise diagnosis.of_json(JsonFault.TOO_DEEP, f"more than {MOST_NESTING} levels", body)


def dump(value: object) -> bytes:
    """The value as JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
