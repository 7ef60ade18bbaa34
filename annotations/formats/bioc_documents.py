"""What a document of BioC says, whether it was written in XML or in JSON.

BioC leaves it to its users how identifiers, types and relations are called; understood are the ways of PubTator,
GNormPlus, BioRED, NLM-Gene and the BioCreative VI Precision Medicine track. Positions count from the start of the
document in code points. Source: Comeau et al. 2013, doi:10.1093/database/bat064.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from annotations.formats.identifiers import identifiers_of
from annotations.formats.mention_reading import MentionReading
from annotations.formats.mentions import InteractionPair
from annotations.formats.tsv_faults import quoted

NUMBER = re.compile(r"[0-9]{1,15}")
NOT_IN_A_KEY = re.compile(r"[^a-z0-9]")
# Keys of identifiers, the surest first, and what a mention is that has no type of its own.
IDENTIFIER_KEYS: Mapping[str, str] = {
    "identifier": "",
    **dict.fromkeys(("ncbigene", "ncbigeneidentifier", "ncbigeneid", "geneid", "entrezid", "entrezgeneid"), "Gene"),
    **dict.fromkeys(("uniprot", "uniprotid", "uniprotkb"), "Protein"),
    **dict.fromkeys(("ncbitaxonomy", "ncbitaxonomyid", "ncbitaxon", "taxonomyid", "taxid"), "Species"),
    "cui": "",
}
PARTNER_KEYS = (("gene1", "gene2"), ("entity1", "entity2"))
# Says that passages are those of a canonical text: one newline between them, none joined and none left out.
CANONICAL = ("passages", "canonical")
# Says that an annotation is of the document as a whole, whatever place it was given.
OF_DOCUMENT = ("scope", "document")
RELEVANT = {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}


@dataclass(slots=True)
class Annotation:
    """A mention. infons: {key without case and punctuation: value}; text: None where the
    file has none of its own; locations: offset and length as the file has them.

    line, column: where it begins in the file, from 1, here and below.
    """

    line: int
    column: int
    id: str = ""
    infons: dict[str, str] = field(default_factory=dict)
    text: str | None = None
    locations: list[tuple[object, object]] = field(default_factory=list)


@dataclass(slots=True)
class Relation:
    """nodes: ids of the annotations that it joins."""

    line: int
    column: int
    infons: dict[str, str] = field(default_factory=dict)
    nodes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Passage:
    """A passage, or a sentence of the passage before it; offset as the file has it, None when it is lacking."""

    line: int
    column: int
    offset: object = None
    text: str = ""
    infons: dict[str, str] = field(default_factory=dict)
    sentence: bool = False


@dataclass(slots=True)
class Document:
    """One article; annotations and relations are those of its passages and sentences, too. divisions: where parts of
    its text start and end, and what they are."""

    line: int
    column: int
    id: str = ""
    infons: dict[str, str] = field(default_factory=dict)
    passages: list[Passage] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    divisions: list[tuple[int, int, str]] = field(default_factory=list)


def plain(key: str) -> str:
    """A key as it is looked up: `NCBI GENE` is ncbigene."""
    return NOT_IN_A_KEY.sub("", key.lower())


def whole_number(value: object) -> int | None:
    """A number from 0 on that the file has as a number or as text; None for anything else."""
    if isinstance(value, str):
        return int(value) if NUMBER.fullmatch(value.strip()) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15 else None


class DocumentText:
    """The text of a document, in parts; end: where the last of them ends, in code points."""

    def __init__(self, parts: Iterable[tuple[int, str]]) -> None:
        self.parts = sorted(parts, key=itemgetter(0))
        self.starts = [start for start, _ in self.parts]
        self.end = max((start + len(text) for start, text in self.parts), default=0)

    def __bool__(self) -> bool:
        return bool(self.parts)

    def at(self, start: int, end: int) -> str:
        """What stands there, empty where no part begins before it and goes on."""
        place = bisect_right(self.starts, start) - 1
        if place < 0:
            return ""
        offset, text = self.parts[place]
        return text[start - offset : end - offset]


class BiocReading(MentionReading):
    """A file, document by document."""

    def take(self, document: Document) -> None:
        """Keep what a document says, and note what is wrong with it."""
        name = self.named(document.id, document.line, document.column)
        text = DocumentText(self.texts(document.passages))
        named = {own.id: self.take_annotation(name, own, text) for own in document.annotations}
        for relation in document.relations:
            self.take_relation(name, relation, named)
        if "relevant" in document.infons:
            self.take_label(name, document)

    def texts(self, passages: Sequence[Passage]) -> Iterator[tuple[int, str]]:
        """Where each text starts, and the text; of a document that has some, empty ones too, as it ends with them."""
        kept = any(passage.text for passage in passages)
        for passage in passages:
            offset = whole_number(passage.offset)
            if offset is not None and kept:
                yield offset, passage.text or ""
            elif passage.text:
                shown = "nothing" if passage.offset is None else quoted(str(passage.offset))
                said = f"{shown} is not the offset of a passage"
                mend = "write how many characters of the document stand before it"
                self.faults.add("R654", passage.line, passage.column, f"{said} - {mend}")

    def take_annotation(self, document: str, own: Annotation, text: DocumentText) -> tuple[str, ...]:
        """The identifiers of an annotation, which is kept if its place is one."""
        key = next((key for key in IDENTIFIER_KEYS if own.infons.get(key)), "")
        identifiers = identifiers_of(own.infons[key]) if key else ()
        scope, whole = OF_DOCUMENT
        if own.infons.get(scope) == whole:
            return identifiers
        kind = own.infons.get("type", "").strip() or IDENTIFIER_KEYS.get(key, "")
        if place := self.place(own, text):
            found = text.at(*place)
            said = found if own.text is None else own.text
            self.mentions.add(document, *place, said, kind, identifiers, own.line)
            if text and len(own.locations) == 1:
                self.differs(said, found, own.line, own.column)
        return identifiers

    def place(self, own: Annotation, text: DocumentText) -> tuple[int, int] | None:
        """Where the annotation starts and ends, None where the file does not say it or the text has ended before."""
        ends = []
        for offset, length in own.locations:
            start, wide = whole_number(offset), whole_number(length)
            if start is None or not wide:
                said = f"{quoted(str(offset))} and {quoted(str(length))} are no offset and length of a mention"
                mend = "write both as whole numbers, so that it has one character at least"
                self.faults.add("R654", own.line, own.column, f"{said} - {mend}")
                return None
            ends.append((start, start + wide))
        if not ends:
            said = "the annotation has no location - write its offset and length"
            self.faults.add("R654", own.line, own.column, said)
            return None
        start = min(start for start, _ in ends)
        if text and start >= text.end:
            said = f"the mention starts at {start}, but the text ends at {text.end}"
            self.faults.add("R655", own.line, own.column, f"{said} - count from the start of the document")
            return None
        return start, max(end for _, end in ends)

    def take_relation(self, document: str, own: Relation, named: Mapping[str, tuple[str, ...]]) -> None:
        kind = own.infons.get("relation") or own.infons.get("type", "")
        a, b = partners(own, named)
        pair = InteractionPair(document, a, b, kind, own.line)
        if a and b:
            self.pairs.append(pair)
        elif pair.interacts:
            mend = "write Gene1 and Gene2, or two nodes with identifiers"
            self.faults.add("R661", own.line, own.column, f"the interaction lacks a partner - {mend}")

    def take_label(self, name: str, document: Document) -> None:
        label = document.infons["relevant"].strip()
        if label.lower() in RELEVANT:
            self.relevant[name] = RELEVANT[label.lower()]
            return
        said = f"{quoted(label)} does not say whether the document is relevant - write yes or no"
        self.faults.add("R662", document.line, document.column, said)


def partners(own: Relation, named: Mapping[str, tuple[str, ...]]) -> tuple[str, str]:
    """The identifiers of both, from the relation itself or from the annotations that it joins; empty where unknown."""
    for first, second in PARTNER_KEYS:
        if first in own.infons or second in own.infons:
            return own.infons.get(first, "").strip(), own.infons.get(second, "").strip()
    if len(own.nodes) != 2:
        return "", ""
    a, b = (";".join(named.get(node, ())) for node in own.nodes)
    return a, b
