"""XML-RPC messages from strangers: no DTD, no entities, bounded depth and number of values."""

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

from bcms.lib.foreign import bounded
from servers.protocols.encodings import misfit

MOST_NESTING = 16
MOST_VALUES = 200_000
# What the standard library's Unmarshaller raises on well-formed XML that is no XML-RPC message.
MALFORMED = (ResponseError, LookupError, TypeError, ValueError, ArithmeticError)
# What expat says of a document that ends before its end.
BROKEN_OFF = (expat_errors.XML_ERROR_NO_ELEMENTS, expat_errors.XML_ERROR_UNCLOSED_TOKEN)
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
    """A body that holds no values: kind says why, detail where or what, code is a fault's number."""

    def __init__(self, kind: XmlRpcFault, detail: str = "", code: int = 0) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.code = code


@dataclass(frozen=True, slots=True)
class Message:
    """A method call, or a response when method is None; notes say what was read though XML-RPC writes it otherwise."""

    method: str | None
    params: Sequence[object]
    notes: Sequence[str] = ()


class _Bounded(Unmarshaller):
    """Stops as soon as there is too much, before it is built."""

    def __init__(self) -> None:
        super().__init__(use_builtin_types=True)
        self.values = 0
        self.depth = 0
        self.notes: list[str] = []

    def start(self, tag: str, attrs: Any) -> None:
        name = tag.rpartition(":")[2]
        if name == "value":
            self.values += 1
            if self.values > MOST_VALUES:
                raise XmlRpcError(XmlRpcFault.TOO_MANY, f"more than {MOST_VALUES:,} values")
        elif name in ("array", "struct"):
            self.depth += 1
            if self.depth > MOST_NESTING:
                raise XmlRpcError(XmlRpcFault.TOO_DEEP, f"more than {MOST_NESTING} arrays and structs in each other")
        super().start(tag, attrs)

    def end(self, tag: str) -> None:
        if tag.rpartition(":")[2] in ("array", "struct"):
            self.depth -= 1
        super().end(tag)

    def end_date(self, data: str) -> None:
        """Any form of ISO 8601 in use, with a zone or without; one that XML-RPC does not know is noted once."""
        said = data.strip()
        try:
            self.append(datetime.fromisoformat(said))
        except ValueError as error:
            raise ValueError(f'"{bounded(said, 40)}" is no date; write it as in 19980717T14:08:55') from error
        self._value = False
        if not self.notes and not STANDARD_DATE.fullmatch(said):
            self.notes.append(f'The date "{bounded(said, 40)}" was read, though XML-RPC writes 19980717T14:08:55.')

    dispatch = Unmarshaller.dispatch | {"dateTime.iso8601": end_date}  # type: ignore[assignment]


def load(body: bytes) -> Message:
    """The values of an XML-RPC message as built-in types (base64 as bytes, dateTime as datetime, nil as None).

    Dates may be in any form of ISO 8601, with a zone or without, which is noted. At most 16 arrays and structs in each
    other and 200,000 values. Raises XmlRpcError, also for a fault. Doubles may be not finite. Source: the XML-RPC
    specification, http://xmlrpc.com/spec.md.
    """
    if not body.strip():
        raise XmlRpcError(XmlRpcFault.NOT_XML, "it is empty")
    check_encoding(body)
    target = _Bounded()
    parser = DefusedExpatParser(target, forbid_dtd=True)
    try:
        parser.feed(body)
        parser.close()
        params = target.close()
        return Message(target.getmethodname(), params, target.notes)
    except ExpatError as error:
        raise _not_xml(error) from error
    except DefusedXmlException as error:
        raise XmlRpcError(XmlRpcFault.DTD) from error
    except Fault as fault:
        raise _fault(fault) from fault
    except MALFORMED as error:
        raise XmlRpcError(XmlRpcFault.NOT_XMLRPC, " ".join(map(str, error.args))) from error


def check_encoding(body: bytes) -> None:
    """Refuse bytes that are not in the encoding that they say they are in (UTF-8 when they say nothing)."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    declared = DECLARED_ENCODING.match(body[:200].removeprefix(b"\xef\xbb\xbf"))
    encoding = declared[1].decode("ascii") if declared else "utf-8"
    try:
        name = codecs.lookup(encoding).name
    except LookupError as error:
        raise XmlRpcError(XmlRpcFault.WRONG_ENCODING, f"nobody knows the encoding {encoding}") from error
    # Every byte is a character in the one-byte encodings, and some codecs of Python are slow on hostile bytes.
    if name in ("utf-8", "ascii"):
        _check_decodes(body, name)


def _check_decodes(body: bytes, encoding: str) -> None:
    try:
        body.decode(encoding)
    except UnicodeDecodeError as error:
        raise XmlRpcError(XmlRpcFault.WRONG_ENCODING, misfit(error)) from error


def _not_xml(error: ExpatError) -> XmlRpcError:
    words = expat_errors.messages.get(error.code, "not well formed")
    kind = XmlRpcFault.CUT_OFF if words in BROKEN_OFF else XmlRpcFault.NOT_XML
    said = "something follows its end" if words == expat_errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT else words
    return XmlRpcError(kind, f"{said} at line {error.lineno}, column {error.offset + 1}")


def _fault(fault: Fault) -> XmlRpcError:
    code = fault.faultCode if isinstance(fault.faultCode, int) else 0
    return XmlRpcError(XmlRpcFault.FAULT, str(fault.faultString), code)
