"""JSON from strangers: UTF-8, bounded depth and number of values, and never half of it."""

import json
import re
from enum import StrEnum

from servers import diagnosis
from servers.protocols.xmlrpc import MOST_NESTING, MOST_VALUES

STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.S)
BRACKET = re.compile(rb"[\[\]{}]")
OPENING = b"[{"


class JsonFault(StrEnum):
    NOT_JSON = "not-json"
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
        raise diagnosis.of_json(JsonFault.WRONG_ENCODING, f"byte {error.start} is not UTF-8", body) from error
    check_size(body)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        detail = f"{error.msg} in line {error.lineno}, column {error.colno}"
        raise diagnosis.of_json(JsonFault.NOT_JSON, detail, body) from error
    except ValueError as error:
        # Whole numbers of thousands of digits.
        raise diagnosis.of_json(JsonFault.NOT_JSON, str(error), body) from error


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
