"""Parse XML-RPC messages from untrusted servers: no DTD, no entities, bounded depth and number of values."""

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from xml.parsers.expat import ExpatError
from xml.parsers.expat import errors as expat_errors
from xmlrpc.client import Fault, ResponseError, Unmarshaller

from defusedxml.common import DefusedXmlException
from defusedxml.xmlrpc import DefusedExpatParser

from bcms.lib.text import clip_text_replacing_unprintable
from servers.protocols.answer_fields import UnreadableValue, parse_integer_or_unreadable
from servers.protocols.encoding_errors import describe_first_undecodable_byte

MOST_NESTING = 16
MOST_VALUES = 200_000
# What the standard library's Unmarshaller raises for well-formed XML that is not an XML-RPC message.
UNMARSHALLING_ERRORS = (ResponseError, LookupError, TypeError, ValueError, ArithmeticError)
# The errors of expat for an incomplete document.
CUT_OFF_ERRORS = (expat_errors.XML_ERROR_NO_ELEMENTS, expat_errors.XML_ERROR_UNCLOSED_TOKEN)
INTEGER_TYPES = ("int", "i1", "i2", "i4", "i8", "biginteger")
SCALAR_TYPES = frozenset({*INTEGER_TYPES, "boolean", "double", "float", "bigdecimal", "dateTime.iso8601", "base64"})
STANDARD_DATE = re.compile(r"\d{8}T\d\d:\d\d:\d\d", re.ASCII)
DECLARED_ENCODING = re.compile(rb"""\A\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")


class XmlRpcFault(StrEnum):
    NOT_XML = "not-xml"
    CUT_OFF = "cut-off"
    WRONG_ENCODING = "wrong-encoding"
    DTD = "dtd"
    NOT_XMLRPC = "not-xmlrpc"
    TOO_DEEP = "too-deep"
    TOO_MANY = "too-many-values"
    FAULT = "fault"


class XmlRpcError(Exception):
    """A body without a usable message: kind says why, detail gives particulars, code is the number of a fault."""

    def __init__(self, kind: XmlRpcFault, detail: str = "", code: int = 0) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.code = code


@dataclass(frozen=True, slots=True)
class XmlRpcMessage:
    """A method call, or a response when method is None; notes list accepted deviations from XML-RPC."""

    method: str | None
    params: Sequence[object]
    notes: Sequence[str] = ()


class _BoundedUnmarshaller(Unmarshaller):
    """An unmarshaller that stops as soon as there are too many values or levels.

    keeps_unreadable: values of unknown types, and values that do not fit their types, become an UnreadableValue each
    instead of an error, so that a value that nobody needs does not spoil the others.
    """

    def __init__(self, *, keeps_unreadable: bool = False) -> None:
        super().__init__(use_builtin_types=True)
        self.keeps_unreadable = keeps_unreadable
        # The open elements from an unknown type inwards.
        self.unknown_tags: list[str] = []
        self.values = 0
        self.depth = 0
        self.notes: list[str] = []

    def start(self, tag: str, attrs: Any) -> None:
        name = tag.rpartition(":")[2]
        if self.unknown_tags or (self.keeps_unreadable and self._value and name not in self.dispatch):
            self._start_within_unknown_type(tag)
            return
        if name == "value":
            self.values += 1
            if self.values > MOST_VALUES:
                raise XmlRpcError(XmlRpcFault.TOO_MANY, f"more than {MOST_VALUES:,} values")
        elif name in ("array", "struct"):
            self.depth += 1
            if self.depth > MOST_NESTING:
                raise XmlRpcError(XmlRpcFault.TOO_DEEP, f"more than {MOST_NESTING} nested arrays and structs")
        super().start(tag, attrs)

    def _start_within_unknown_type(self, tag: str) -> None:
        self.unknown_tags.append(tag)
        if len(self.unknown_tags) + self.depth > MOST_NESTING:
            raise XmlRpcError(XmlRpcFault.TOO_DEEP, f"more than {MOST_NESTING} nested arrays and structs")

    def end(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if self.unknown_tags:
            self.unknown_tags.pop()
            if not self.unknown_tags:
                shown = clip_text_replacing_unprintable(tag, 40)
                self._append_unreadable(f"a value of the unknown type {shown}")
            return
        if name in ("array", "struct"):
            self.depth -= 1
        try:
            super().end(tag)
        except (TypeError, ValueError, ArithmeticError):
            if not self.keeps_unreadable or name not in SCALAR_TYPES:
                raise
            text = clip_text_replacing_unprintable("".join(self._data).strip(), 40)
            self._append_unreadable(f'a value of type {name} that is none: "{text}"')

    def _append_unreadable(self, description: str) -> None:
        self.append(UnreadableValue(description))
        self._value = False

    def end_int(self, data: str) -> None:
        value = parse_integer_or_unreadable(data)
        if isinstance(value, UnreadableValue) and not self.keeps_unreadable:
            raise ValueError(f"it contains {value}")
        self.append(value)
        self._value = False

    def end_date(self, data: str) -> None:
        """Accept any common form of ISO 8601, with or without a time zone, and note the first that is not standard."""
        text = data.strip()
        try:
            self.append(datetime.fromisoformat(text))
        except ValueError as error:
            raise ValueError(
                f'"{clip_text_replacing_unprintable(text, 40)}" is not a date; write it like 19980717T14:08:55'
            ) from error
        self._value = False
        if not self.notes and not STANDARD_DATE.fullmatch(text):
            self.notes.append(
                f'The date "{clip_text_replacing_unprintable(text, 40)}" was accepted, '
                "but XML-RPC requires 19980717T14:08:55."
            )

    dispatch: dict[str, Any] = (
        Unmarshaller.dispatch | {"dateTime.iso8601": end_date} | dict.fromkeys(INTEGER_TYPES, end_int)
    )


def parse_bounded_xmlrpc_message(body: bytes, *, keeps_unreadable: bool = False) -> XmlRpcMessage:
    """The values of an XML-RPC message as built-in types (base64 as bytes, dateTime as datetime, nil as None).

    Any form of ISO 8601 is accepted for dates, with a note; doubles may be infinite or NaN. At most 16 nested arrays
    and structs and 200,000 values. keeps_unreadable: a value of an unknown type, or one that does not fit its type,
    becomes an UnreadableValue instead of an error. Raises XmlRpcError, also for a fault.

    Source: the XML-RPC specification, http://xmlrpc.com/spec.md.
    """
    if not body.strip():
        raise XmlRpcError(XmlRpcFault.NOT_XML, "it is empty")
    _check_declared_encoding(body)
    target = _BoundedUnmarshaller(keeps_unreadable=keeps_unreadable)
    parser = DefusedExpatParser(target, forbid_dtd=True)
    try:
        parser.feed(body)
        parser.close()
        params = target.close()
        return XmlRpcMessage(target.getmethodname(), params, target.notes)
    except ExpatError as error:
        raise _make_not_xml_error(error) from error
    except DefusedXmlException as error:
        raise XmlRpcError(XmlRpcFault.DTD) from error
    except Fault as fault:
        raise _make_fault_error(fault) from fault
    except UNMARSHALLING_ERRORS as error:
        raise XmlRpcError(XmlRpcFault.NOT_XMLRPC, " ".join(map(str, error.args))) from error


def _check_declared_encoding(body: bytes) -> None:
    """Raises XmlRpcError when the body is not in its declared encoding (UTF-8 by default)."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    declared = DECLARED_ENCODING.match(body[:200].removeprefix(b"\xef\xbb\xbf"))
    encoding = declared[1].decode("ascii") if declared else "utf-8"
    try:
        name = codecs.lookup(encoding).name
    except LookupError as error:
        raise XmlRpcError(XmlRpcFault.WRONG_ENCODING, f"the encoding {encoding} is unknown") from error
    # One-byte encodings accept every byte, and some of Python's codecs are slow on hostile input.
    if name in ("utf-8", "ascii"):
        _check_decodes(body, name)


def _check_decodes(body: bytes, encoding: str) -> None:
    try:
        body.decode(encoding)
    except UnicodeDecodeError as error:
        raise XmlRpcError(XmlRpcFault.WRONG_ENCODING, describe_first_undecodable_byte(error)) from error


def _make_not_xml_error(error: ExpatError) -> XmlRpcError:
    message = expat_errors.messages.get(error.code, "not well formed")
    kind = XmlRpcFault.CUT_OFF if message in CUT_OFF_ERRORS else XmlRpcFault.NOT_XML
    has_extra = message == expat_errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT
    reason = "extra data after the root element" if has_extra else message
    return XmlRpcError(kind, f"{reason} at line {error.lineno}, column {error.offset + 1}")


def _make_fault_error(fault: Fault) -> XmlRpcError:
    code = fault.faultCode if isinstance(fault.faultCode, int) else 0
    return XmlRpcError(XmlRpcFault.FAULT, str(fault.faultString), code)
