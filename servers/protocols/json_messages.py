"""Parse JSON from untrusted servers: UTF-8, complete, with bounded depth and number of values."""

import json
import re
from enum import StrEnum

from servers.calls import diagnosis
from servers.protocols.answer_fields import UnreadableValue, parse_integer_or_unreadable
from servers.protocols.encoding_errors import describe_first_undecodable_byte
from servers.protocols.xmlrpc_messages import MOST_NESTING, MOST_VALUES

STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.S)
BRACKET = re.compile(rb"[\[\]{}]")
OPENING = b"[{"
JSON_LINE = re.compile(r"(?<=\n)[{\[]")
# Warnings of an interpreter stand in the first lines.
SEARCHED_LENGTH = 16_384
PARSER_MESSAGES = {"Extra data": "extra data after the value", "Expecting value": "a value is missing"}


class JsonFault(StrEnum):
    NOT_JSON = "not-json"
    CUT_OFF = "cut-off"
    WRONG_ENCODING = "wrong-encoding"
    TOO_DEEP = "too-deep"
    TOO_MANY = "too-many-values"


def parse_bounded_json_message(body: bytes) -> object:
    """The decoded body. Raises CallError for invalid JSON, another encoding than UTF-8 and what is too large.

    At most 16 levels and 200,000 values are accepted; both are counted before anything is built. An integer of
    thousands of digits becomes an UnreadableValue.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise diagnosis.diagnose_invalid_json_body(
            JsonFault.WRONG_ENCODING, describe_first_undecodable_byte(error), body
        ) from error
    _check_json_size(body)
    try:
        value: object = json.loads(text, parse_int=parse_integer_or_unreadable)
    except json.JSONDecodeError as error:
        if preceding := _find_text_before_json(text):
            raise diagnosis.diagnose_text_before_answer(preceding, "JSON", JsonFault.NOT_JSON) from error
        reason = PARSER_MESSAGES.get(error.msg, error.msg)
        fault = JsonFault.CUT_OFF if _is_json_cut_off(error) else JsonFault.NOT_JSON
        raise diagnosis.diagnose_invalid_json_body(
            fault, f"{reason} in line {error.lineno}, column {error.colno}", body
        ) from error
    if isinstance(value, UnreadableValue):
        raise diagnosis.diagnose_invalid_json_body(JsonFault.NOT_JSON, f"it is {value}", body)
    return value


def _find_text_before_json(text: str) -> str:
    """What precedes a complete JSON object or array that begins in a line of its own; "" if there is none."""
    start = JSON_LINE.search(text, 1, SEARCHED_LENGTH)
    if start is None or not text[: start.start()].strip():
        return ""
    try:
        _, end = json.JSONDecoder(parse_int=parse_integer_or_unreadable).raw_decode(text, start.start())
    except ValueError:
        return ""
    return "" if text[end:].strip() else text[: start.start()]


def _is_json_cut_off(error: json.JSONDecodeError) -> bool:
    """Whether an object or array is incomplete."""
    text = error.doc.strip()
    ends_early = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    return text.startswith(("{", "[")) and ends_early


def _check_json_size(body: bytes) -> None:
    """Raises CallError when there are too many values or nested brackets."""
    without_strings = STRING.sub(b"", body)
    if sum(map(without_strings.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise diagnosis.diagnose_invalid_json_body(JsonFault.TOO_MANY, f"more than {MOST_VALUES:,}", body)
    depth = 0
    for bracket in BRACKET.findall(without_strings):
        depth += 1 if bracket in OPENING else -1
        if depth > MOST_NESTING:
            raise diagnosis.diagnose_invalid_json_body(JsonFault.TOO_DEEP, f"more than {MOST_NESTING} levels", body)


def encode_json_message(value: object) -> bytes:
    """The value as JSON in UTF-8; lone surrogates become question marks."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
