"""Reads UIMA CAS XMI: one file, or a zip archive of several. Nothing outside the file is read: no DTD, no entity.

The type system is not needed, because features of exports have known types and others are read as text.
Source: OASIS, UIMA Version 1.0 (XMI for CAS).
"""

from io import BytesIO
from pathlib import PurePath, PurePosixPath
from typing import BinaryIO
from xml.parsers import expat

from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.annotated_text.xml_encoding import refuse_unreadable_encoding
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.xmi.documents import XmiCollector, XmiDocument, XmiElement
from annotations.formats.zip.reader import ZIP_SIGNATURE, ZipArchiveReader

XMI_CHUNK = 1 << 16
NAMESPACE_SEPARATOR = " "
CAS_NAMESPACE = "http:///uima/cas.ecore"
SOFA_NAME = "Sofa"
# Elements of the CAS that are no annotations.
CAS_STRUCTURES = frozenset({"NULL", "View"})
# The depth of elements that are feature structures; below are values of lists.
STRUCTURE_DEPTH = 2


class RefusedXmiEntityError(Exception):
    """The file declares an entity; nothing after it is read."""


def read_xmi_into_collector(stream: BinaryIO, collector: XmiCollector) -> AnnotatedTextFile:
    """The content of a seekable stream of XMI.

    RefusedFileError with all faults, up to the first XML error of each file (R401, R448, R658, R659, R663, R664, R677).
    """
    stream.seek(0)
    is_archive = stream.read(len(ZIP_SIGNATURE)) == ZIP_SIGNATURE
    stream.seek(0)
    if not is_archive:
        _read_file(stream, PurePath(collector.source).stem, collector)
        return collector.finish()
    try:
        archive = ZipArchiveReader(stream, collector.source)
        for name in archive.members:
            if name.endswith(".xmi"):
                collector.enter_file(name)
                _read_file(BytesIO(archive.read_member(name)), PurePosixPath(name).stem, collector)
    except FormatError as error:
        raise RefusedFileError([*collector.faults.list_faults(), error]) from None
    return collector.finish()


def _read_file(stream: BinaryIO, name: str, collector: XmiCollector) -> None:
    parser = _XmiParser(name)
    try:
        while chunk := stream.read(XMI_CHUNK):
            parser.expat.Parse(chunk, False)
        parser.expat.Parse(b"", True)
    except expat.ExpatError as error:
        message = f"the XML is not well-formed here, {expat.ErrorString(error.code)}"
        collector.faults.add("R663", error.lineno, error.offset + 1, f"{message} - write it with an XML library")
    except RefusedXmiEntityError:
        message = "the file declares an entity - write the characters themselves"
        collector.faults.add("R664", *parser.find_position(), message)
    else:
        collector.add_document(parser.document)


class _XmiParser:
    """Builds a document from the events of expat; depth: the number of open elements."""

    def __init__(self, name: str) -> None:
        self.document = XmiDocument(name)
        self.depth = 0
        self.expat = expat.ParserCreate(namespace_separator=NAMESPACE_SEPARATOR)
        refuse_unreadable_encoding(self.expat)
        self.expat.StartElementHandler = self.start_element
        self.expat.EndElementHandler = self.end_element
        self.expat.EntityDeclHandler = self.refuse_entity

    def find_position(self) -> tuple[int, int]:
        """Line and column, from 1."""
        return self.expat.CurrentLineNumber, self.expat.CurrentColumnNumber + 1

    def refuse_entity(self, *declared: object) -> None:
        raise RefusedXmiEntityError

    def start_element(self, qualified_name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        namespace, _, name = qualified_name.rpartition(NAMESPACE_SEPARATOR)
        if self.depth != STRUCTURE_DEPTH or (namespace == CAS_NAMESPACE and name in CAS_STRUCTURES):
            return
        plain = {key.rpartition(NAMESPACE_SEPARATOR)[2]: value for key, value in attributes.items()}
        element = XmiElement(*self.find_position(), namespace, name, plain)
        if namespace == CAS_NAMESPACE and name == SOFA_NAME:
            self.document.sofas.append(element)
        else:
            self.document.elements[plain.get("id", f"none {len(self.document.elements)}")] = element

    def end_element(self, qualified_name: str) -> None:
        self.depth -= 1
