"""Parses PSI-MI XML unit by unit: an experiment, an interactor, an interaction, or the attributes of an entry.

Nothing outside the file is read: no DTD, no entity, no schema, no network. Memory is that of one unit.
"""

from collections.abc import Callable
from typing import BinaryIO, NoReturn
from xml.parsers import expat

from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.annotated_text.xml_encoding import refuse_unreadable_encoding
from annotations.formats.errors import quote_file_text
from annotations.formats.psi_mi_xml.nodes import XmlNode
from annotations.formats.psi_mi_xml.structure import ENTRY_UNITS, PASSED_ELEMENTS, PSI_MI_CHILDREN
from annotations.formats.psi_mi_xml.vocabulary import PSI_MI_ROOT, READ_PSI_MI_NAMESPACES

XML_CHUNK = 1 << 16
NAMESPACE_SEPARATOR = " "
NOT_WELL_FORMED, REFUSED_DECLARATION, UNKNOWN_ROOT, MISPLACED_ELEMENT = "R663", "R664", "R741", "R742"
# Entries are three levels deep in the file, and what is read of a unit is at most ten levels deep.
MOST_DEPTH = 64
ENTRY_DEPTH = 2


class StoppedParsingError(Exception):
    """Nothing after a fault can be read; the fault is noted already."""


def parse_psi_mi_xml(
    stream: BinaryIO, faults: PositionedFaults, take_unit: Callable[[XmlNode], None], finish_entry: Callable[[], None]
) -> None:
    """Parse a seekable stream, up to the first fault after which nothing can be read.

    take_unit: called with each unit, in the order of the file; finish_entry: called at the end of each entry. Faults of
    the structure are noted: R663, R664, R741, R742.
    """
    parser = _PsiMiXmlParser(faults, take_unit, finish_entry)
    stream.seek(0)
    try:
        while chunk := stream.read(XML_CHUNK):
            parser.expat.Parse(chunk, False)
        parser.expat.Parse(b"", True)
    except expat.ExpatError as error:
        message = f"the XML is not well-formed here, {expat.ErrorString(error.code)}"
        faults.add(NOT_WELL_FORMED, error.lineno, error.offset + 1, f"{message} - write it with an XML library")
    except StoppedParsingError:
        return


class _PsiMiXmlParser:
    """Builds units from the events of expat.

    path: the names of the open elements, "" first; open: the open elements of the unit that is read; skipped: the
    number of open elements in one that is not read.
    """

    def __init__(
        self, faults: PositionedFaults, take_unit: Callable[[XmlNode], None], finish_entry: Callable[[], None]
    ) -> None:
        self.faults, self.take_unit, self.finish_entry = faults, take_unit, finish_entry
        self.path = [""]
        self.open: list[XmlNode] = []
        self.skipped = 0
        self.namespace = ""
        self.expat = expat.ParserCreate(namespace_separator=NAMESPACE_SEPARATOR)
        self.expat.buffer_text = True
        refuse_unreadable_encoding(self.expat)
        self.expat.StartElementHandler = self.start_element
        self.expat.EndElementHandler = self.end_element
        self.expat.CharacterDataHandler = self.add_letters
        self.expat.StartDoctypeDeclHandler = self.refuse_declaration
        self.expat.EntityDeclHandler = self.refuse_declaration

    def find_position(self) -> tuple[int, int]:
        """Line and column, from 1."""
        return self.expat.CurrentLineNumber, self.expat.CurrentColumnNumber + 1

    def stop(self, rule: str, message: str) -> NoReturn:
        """Note a fault where the parser is, and raise StoppedParsingError."""
        self.faults.add(rule, *self.find_position(), message)
        raise StoppedParsingError

    def refuse_declaration(self, *declared: object) -> None:
        message = "the file declares a document type or an entity, which PSI-MI XML has not - remove the declaration"
        self.stop(REFUSED_DECLARATION, message)

    def start_element(self, qualified_name: str, attributes: dict[str, str]) -> None:
        namespace, _, name = qualified_name.rpartition(NAMESPACE_SEPARATOR)
        if len(self.path) + self.skipped > MOST_DEPTH:
            message = f"the elements are nested more than {MOST_DEPTH} levels deep - close each of them where it ends"
            self.stop(MISPLACED_ELEMENT, message)
        if self.skipped:
            self.skipped += 1
            return
        if len(self.path) == 1:
            self.check_root(namespace, name)
        if not self.may_be_here(namespace, name):
            self.note_misplaced_element(name)
            self.skipped = 1
            return
        self.open_element(name, attributes)

    def check_root(self, namespace: str, name: str) -> None:
        """Keep the namespace of the file. StoppedParsingError if it is none of PSI-MI XML."""
        if name != PSI_MI_ROOT:
            problem = f"the file begins with {quote_file_text(name)}, and PSI-MI XML with {PSI_MI_ROOT}"
            self.stop(UNKNOWN_ROOT, f"{problem} - choose another file, or convert it")
        if namespace not in READ_PSI_MI_NAMESPACES:
            problem = f"{quote_file_text(namespace)} is not the namespace of a version that is read"
            expected = " or ".join(READ_PSI_MI_NAMESPACES)
            self.stop(UNKNOWN_ROOT, f"{problem} - write {expected}")
        self.namespace = namespace

    def may_be_here(self, namespace: str, name: str) -> bool:
        """Whether an element may be in the open one; in elements that are not checked, any may."""
        children = PSI_MI_CHILDREN.get(self.path[-1])
        return children is None or (namespace == self.namespace and name in children)

    def note_misplaced_element(self, name: str) -> None:
        problem = f"PSI-MI XML has no element {quote_file_text(name)} in {self.path[-1]}"
        fix = "correct its name, or move it to the element that it belongs to"
        self.faults.add(MISPLACED_ELEMENT, *self.find_position(), f"{problem} - {fix}")

    def open_element(self, name: str, attributes: dict[str, str]) -> None:
        parent, depth = self.path[-1], len(self.path) - 1
        if self.open or (depth > ENTRY_DEPTH and name in ENTRY_UNITS) or (parent, name) == ("entry", "attributeList"):
            node = XmlNode(name, attributes, *self.find_position())
            if self.open:
                self.open[-1].children.append(node)
            if name not in PASSED_ELEMENTS:
                self.open.append(node)
        if name in PASSED_ELEMENTS:
            self.skipped = 1
        else:
            self.path.append(name)

    def add_letters(self, letters: str) -> None:
        if self.open and not self.skipped:
            self.open[-1].letters.append(letters)

    def end_element(self, qualified_name: str) -> None:
        if self.skipped:
            self.skipped -= 1
            return
        name = self.path.pop()
        if self.open:
            node = self.open.pop()
            if not self.open:
                self.take_unit(node)
        elif name == "entry":
            self.finish_entry()
