"""Collects documents of UIMA XMI: a text (sofa) and the annotations of it.

Annotations of exports have the type bcms.Finding and all their fields. In other files, every annotation of a type that
is no part of the text's structure is a mention; its entity type is the name of its type, or the `value` of a named
entity, and its identifiers and confidence are features with the names that BioC has for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotations.formats.annotated_text.declared_members import (
    InvalidMembersError,
    collect_declared_item,
    parse_declared_annotation,
    parse_declared_kind,
)
from annotations.formats.annotated_text.identifier_fields import split_distinct_identifiers_without_prefix
from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.annotated_text.mentions import LeftOut, TextMention
from annotations.formats.articles.article_record import ArticleRecord, parse_article_record_or_none
from annotations.formats.bioc.declared_infons import YES, parse_confidence_or_none
from annotations.formats.bioc.documents import DATABASES_BY_KEY, build_given_identifiers, normalize_infon_key
from annotations.formats.errors import quote_file_text
from annotations.formats.xmi.type_system import (
    ARTICLE_TYPE,
    DECLARED_TYPE,
    LIST_FEATURES,
    OWN_NAMESPACE,
    PASSAGE_TYPE,
    SPAN_TYPE,
    XMI_FEATURES,
)
from annotations.formats.xmi.utf16_offsets import Utf16Offsets

INVALID_ELEMENT = "R677"
# Features that are kept, or say where an annotation is.
MENTION_FEATURES = frozenset({"id", "sofa", "begin", "end", "confidence", *DATABASES_BY_KEY})
# What annotations refer to: the parts of exported ones, and lists.
NAMESPACES_OF_PARTS = frozenset({OWN_NAMESPACE, "http:///uima/cas.ecore"})
NAMED_ENTITY = "NamedEntity"
DOCUMENT_METADATA = "DocumentMetaData"
# The names of types for parts of the text, as DKPro, cTAKES and JCoRe have them.
STRUCTURE_NAMES = frozenset(
    f"DocumentAnnotation {DOCUMENT_METADATA} TagsetDescription Div Heading Header Title Abstract AbstractText Section "
    "Zone Segment Paragraph Sentence Token BaseToken WordToken Lemma Stem POS POSTag PennBioIEPOSTag Chunk Constituent "
    "Dependency ROOT".split()
)


@dataclass(frozen=True, slots=True)
class XmiElement:
    """An element of an XMI file. attributes: by their names without namespace."""

    line: int
    column: int
    namespace: str
    name: str
    attributes: Mapping[str, str]


@dataclass(slots=True)
class XmiDocument:
    """The elements of one file. name: of the file; sofas: the texts; elements: all others with an ID, by it."""

    name: str
    sofas: list[XmiElement] = field(default_factory=list)
    elements: dict[str, XmiElement] = field(default_factory=dict)


# Exports refer to each structure once; a file in which a few are repeated very often would take hours.
MOST_REFERENCES_PER_ELEMENT = 10


class InvalidElementError(Exception):
    """An element cannot be read; the message says what is wrong and, after a dash, how to fix it."""


class XmiCollector(MentionCollector):
    """Collects the documents of XMI files."""

    def add_document(self, document: XmiDocument) -> None:
        """Collect the annotations of every text of a file, and note their faults."""
        if not document.sofas:
            self.faults.add(INVALID_ELEMENT, 0, 0, "the file has no text - add a cas:Sofa with a sofaString")
        elements_by_sofa: dict[str, list[XmiElement]] = {}
        for element in document.elements.values():
            elements_by_sofa.setdefault(element.attributes.get("sofa", ""), []).append(element)
        for sofa in document.sofas:
            own_elements = elements_by_sofa.get(sofa.attributes.get("id", ""), ())
            # A view without text holds pictures or sound; several views with text are several documents.
            if sofa.attributes.get("sofaString") or len(document.sofas) == 1:
                _ViewReader(self, document, sofa, own_elements).read_annotations()
        for element in elements_by_sofa.get("", ()):
            if element.namespace not in NAMESPACES_OF_PARTS and self.documents:
                reason = f"{quote_file_text(element.name)} has no position in the text"
                self.left_out.append(LeftOut(next(reversed(self.documents)), "structures", reason, element.line))

    def add_source(self, document_id: str, text: str, record: ArticleRecord | None) -> None:
        """Keep a text, where it is needed."""


class _ViewReader:
    """Reads the annotations of one text."""

    def __init__(
        self, collector: XmiCollector, document: XmiDocument, sofa: XmiElement, elements: Sequence[XmiElement]
    ) -> None:
        self.collector, self.document, self.sofa, self.elements = collector, document, sofa, elements
        self.text = sofa.attributes.get("sofaString", "")
        self.offsets = Utf16Offsets(self.text)
        self.references_left = MOST_REFERENCES_PER_ELEMENT * len(document.elements)
        self.document_id = ""

    def read_annotations(self) -> None:
        record = self.find_article_record()
        name = record.id if record else self.find_document_id()
        self.document_id = self.collector.register_document(name, self.sofa.line, self.sofa.column)
        for element in self.elements:
            try:
                self.read_element(element)
            except (InvalidElementError, InvalidMembersError) as error:
                self.collector.faults.add(INVALID_ELEMENT, element.line, element.column, str(error))
        self.collector.keep_text(self.document_id, [(0, self.text)])
        self.collector.add_source(self.document_id, self.text, record)

    def find_document_id(self) -> str:
        """The ID in DKPro's metadata, or else the name of the file and, if it has several texts, of the view."""
        for element in self.elements:
            if element.name == DOCUMENT_METADATA and element.attributes.get("documentId"):
                return element.attributes["documentId"]
        view = self.sofa.attributes.get("sofaID", "")
        return self.document.name if len(self.document.sofas) == 1 else f"{self.document.name} {view}"

    def find_article_record(self) -> ArticleRecord | None:
        """The article and its passages in an export; None in other files."""
        own = [element for element in self.elements if element.namespace == OWN_NAMESPACE]
        article = next((element for element in own if element.name == ARTICLE_TYPE), None)
        if article is None:
            return None
        passages = []
        for element in own:
            if element.name == PASSAGE_TYPE:
                try:
                    start, end = self.find_span(element)
                except InvalidElementError as error:
                    self.collector.faults.add(INVALID_ELEMENT, element.line, element.column, str(error))
                else:
                    passages.append({"type": element.attributes.get("type", ""), "start": start, "end": end})
        authors = article.attributes.get("authors", "")
        return parse_article_record_or_none({**article.attributes, "authors": [authors], "passages": passages})

    def find_span(self, element: XmiElement) -> list[int]:
        """Start and end of an annotation in code points. InvalidElementError if they are not in the text."""
        units = [element.attributes.get(name, "") for name in ("begin", "end")]
        if not all(unit.isascii() and unit.isdigit() and len(unit) <= 15 for unit in units):
            shown = " and ".join(map(quote_file_text, units))
            raise InvalidElementError(f"{shown} are not begin and end of an annotation - write two whole numbers")
        span = [self.offsets.find_code_point_or_none(int(unit)) for unit in units]
        if None in span:
            raise InvalidElementError("the annotation begins or ends inside a character - count UTF-16 code units")
        start, end = (position for position in span if position is not None)
        if not start <= end <= len(self.text):
            length = self.offsets.convert_offset(len(self.text))
            problem = f"{units[0]} to {units[1]} is not a span of the text, which has {length:,} UTF-16 code units"
            raise InvalidElementError(f"{problem} - count from the start of the text")
        return [start, end]

    def read_element(self, element: XmiElement) -> None:
        if element.namespace == OWN_NAMESPACE and element.name in XMI_FEATURES:
            if element.name == DECLARED_TYPE:
                self.read_declared_annotation(element)
        elif "begin" in element.attributes and element.name not in STRUCTURE_NAMES:
            self.read_mention(element)
        else:
            is_part_of_text = element.name in STRUCTURE_NAMES
            reason = "is a part of the text" if is_part_of_text else "has no position in the text"
            shown = f"{quote_file_text(element.name)} {reason}"
            self.collector.left_out.append(LeftOut(self.document_id, "structures", shown, element.line))

    # Annotations of exports

    def read_declared_annotation(self, element: XmiElement) -> None:
        members: dict[str, Any] = self.build_members(element)
        kind = parse_declared_kind(members)
        members["start"], members["end"] = self.find_span(element)
        item = parse_declared_annotation(members, self.document_id, element.line, len(self.text))
        collect_declared_item(self.collector, kind, self.document_id, item)

    def build_members(self, element: XmiElement) -> dict[str, Any]:
        """The features of an element as members of JSON, with what it refers to."""
        members: dict[str, Any] = {}
        for name, value in element.attributes.items():
            if name in LIST_FEATURES:
                members[name] = [self.build_list_item(name, each) for each in value.split()]
            elif name in ("rank", "taxon"):
                members[name] = _parse_number(value, int)
            elif name == "confidence":
                members[name] = _parse_number(value, float)
            else:
                members[name] = value == YES if name in ("relevant", "directed") else value
        if "qualifiers" in members:
            members["qualifiers"] = {each.get("name", ""): each.get("value", "") for each in members["qualifiers"]}
        return members

    def build_list_item(self, feature: str, element_id: str) -> Any:
        self.references_left -= 1
        if self.references_left < 0:
            problem = f"the file refers to its elements more than {MOST_REFERENCES_PER_ELEMENT} times each"
            raise InvalidElementError(f"{problem} - write an element of its own for each reference")
        element = self.document.elements.get(element_id)
        if element is None or (element.namespace, element.name) != (OWN_NAMESPACE, LIST_FEATURES[feature]):
            problem = f"{quote_file_text(element_id)} in {feature} is not the ID of a bcms.{LIST_FEATURES[feature]}"
            raise InvalidElementError(f"{problem} - refer to an element of the file")
        return self.find_span(element) if element.name == SPAN_TYPE else self.build_members(element)

    # Annotations of other programs

    def read_mention(self, element: XmiElement) -> None:
        start, end = self.find_span(element)
        if start == end:
            self.collector.left_out.append(LeftOut(self.document_id, "mentions", "they have no text", element.line))
            return
        features = {normalize_infon_key(name): value for name, value in element.attributes.items()}
        is_named_entity = element.name == NAMED_ENTITY and features.get("value")
        given = build_given_identifiers(features)
        for name, value in element.attributes.items():
            if (
                value
                and normalize_infon_key(name) not in MENTION_FEATURES
                and not (is_named_entity and name == "value")
            ):
                self.collector.leave_out_attribute(self.document_id, f"{element.name}.{name}", element.line)
        self.collector.append_mention(
            TextMention(
                self.document_id,
                start,
                end,
                self.text[start:end],
                features["value"] if is_named_entity else element.name,
                split_distinct_identifiers_without_prefix(given),
                element.line,
                given=given,
                confidence=parse_confidence_or_none(features.get("confidence", "")),
            )
        )


def _parse_number(text: str, parse: type[int] | type[float]) -> object:
    """The number that a feature is; the text itself if it is none, which is refused later."""
    try:
        return parse(text) if len(text) < 40 else text
    except ValueError:
        return text
