"""Collects documents of BioC, whether they were written in XML or in JSON.

BioC does not define the names of identifiers, types and relations; supported are those of PubTator, GNormPlus, BioRED,
NLM-Gene and the BioCreative VI Precision Medicine track. Positions count code points from the start of the document.
Source: Comeau et al. 2013, doi:10.1093/database/bat064.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter

from annotations.formats.annotated_text.identifier_fields import split_distinct_identifiers_without_prefix
from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.annotated_text.mentions import (
    InteractionPair,
    LeftOut,
    TextArgument,
    TextEntity,
    TextLabel,
    TextRelation,
)
from annotations.formats.bioc.composite_mentions import COMPOSITE_ROLE_KEY, CompositeMentions
from annotations.formats.bioc.declared_infons import (
    EVIDENCE_KIND,
    LABEL_PREFIX,
    QUALIFIER_PREFIX,
    Infons,
    find_declared_kind,
    find_declared_role,
    parse_confidence_or_none,
    parse_exact_identifiers,
    parse_positive_number_or_none,
)
from annotations.formats.bioc.text_relations import DocumentNodes, read_statement
from annotations.formats.errors import quote_file_text
from annotations.schema import Kind, Span

WHOLE_NUMBER = re.compile(r"[0-9]{1,15}")
NOT_IN_INFON_KEY = re.compile(r"[^a-z0-9]")
# Keys of identifiers by priority, and the type of a mention that has no type itself.
IDENTIFIER_KEYS: Mapping[str, str] = {
    "identifier": "",
    **dict.fromkeys(("ncbigene", "ncbigeneidentifier", "ncbigeneid", "geneid", "entrezid", "entrezgeneid"), "Gene"),
    **dict.fromkeys(("uniprot", "uniprotid", "uniprotkb"), "Protein"),
    **dict.fromkeys(("ncbitaxonomy", "ncbitaxonomyid", "ncbitaxon", "taxonomyid", "taxid"), "Species"),
    "cui": "",
}
# Keys of identifiers, and the name of the database that they are from where the key says it.
DATABASES_BY_KEY: Mapping[str, str] = {
    **dict.fromkeys(IDENTIFIER_KEYS, ""),
    **{key: "NCBIGene" for key, mention_type in IDENTIFIER_KEYS.items() if mention_type == "Gene"},
    **{key: "UniProt" for key, mention_type in IDENTIFIER_KEYS.items() if mention_type == "Protein"},
    **{key: "NCBITaxon" for key, mention_type in IDENTIFIER_KEYS.items() if mention_type == "Species"},
    **dict.fromkeys(("mesh", "meshid"), "MESH"),
    **dict.fromkeys(("chebi", "chebiid"), "CHEBI"),
    **dict.fromkeys(("cellosaurus", "cvcl"), "cellosaurus"),
    **dict.fromkeys(("omim", "omimid"), "OMIM"),
    **dict.fromkeys(("dbsnp", "rsid"), "dbSNP"),
    **dict.fromkeys(("umls", "umlscui"), "UMLS"),
    **{prefix.lower(): prefix for prefix in ("HGNC", "MONDO", "HP", "GO", "DOID")},
}
# Keys of what an annotation has besides identifiers; exports have others, which all of their readers know.
MENTION_KEYS = frozenset({"type", "confidence", "rank", "scope", *DATABASES_BY_KEY})
# Most annotations have one key, so their infons are looked through instead of all keys.
KEY_PLACES: Mapping[str, int] = {key: place for place, key in enumerate(DATABASES_BY_KEY)}
PARTNER_KEYS = (("gene1", "gene2"), ("entity1", "entity2"))
# Declares the passages canonical: one newline between them, none joined and none omitted.
CANONICAL_PASSAGES_INFON = ("passages", "canonical")
# Declares that an annotation is about the document as a whole, whatever its position.
DOCUMENT_SCOPE_INFON = ("scope", "document")
COUNT_FROM_START = "count from the start of the document"
RELEVANCE_VALUES = {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}


@dataclass(slots=True)
class BiocAnnotation:
    """A mention.

    line, column: where it begins in the file, from 1; infons: {normalized key: value}; text: None if the file gives
    none; locations: offset and length as in the file; further_identifiers: those that are not in infons.
    """

    line: int
    column: int
    id: str = ""
    infons: dict[str, str] = field(default_factory=dict)
    text: str | None = None
    locations: list[tuple[object, object]] = field(default_factory=list)
    further_identifiers: list[str] = field(default_factory=list)


@dataclass(slots=True)
class BiocRelation:
    """A relation. line, column: where it begins in the file, from 1.

    nodes: the IDs of its annotations; roles: of its nodes. names: {normalized key: key as written} of the infons.
    ordered: whether the format says that the order of nodes matters.
    """

    line: int
    column: int
    infons: dict[str, str] = field(default_factory=dict)
    nodes: list[str] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    ordered: bool = False


@dataclass(slots=True)
class BiocPassage:
    """A passage, or a sentence of the passage before it; offset: as in the file, None if missing."""

    line: int
    column: int
    offset: object = None
    text: str = ""
    infons: dict[str, str] = field(default_factory=dict)
    sentence: bool = False


@dataclass(slots=True)
class BiocDocument:
    """One article.

    annotations and relations include those of its passages and sentences; divisions: (start, end, type) of parts of its
    text; left_out: part, reason, line and number of what its reader did not keep.
    """

    line: int
    column: int
    id: str = ""
    infons: dict[str, str] = field(default_factory=dict)
    passages: list[BiocPassage] = field(default_factory=list)
    annotations: list[BiocAnnotation] = field(default_factory=list)
    relations: list[BiocRelation] = field(default_factory=list)
    divisions: list[tuple[int, int, str]] = field(default_factory=list)
    left_out: list[tuple[str, str, int, int]] = field(default_factory=list)


@lru_cache(maxsize=1000)
def normalize_infon_key(key: str) -> str:
    """A key without case and punctuation: ncbigene for `NCBI GENE`. Names of qualifiers and labels are kept."""
    return key if key.startswith((QUALIFIER_PREFIX, LABEL_PREFIX)) else NOT_IN_INFON_KEY.sub("", key.lower())


def parse_nonnegative_integer_or_none(value: object) -> int | None:
    """A whole number from 0 given as a number or as text; None for anything else."""
    if isinstance(value, str):
        return int(value) if WHOLE_NUMBER.fullmatch(value.strip()) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15 else None


class DocumentText:
    """The text of a document in parts, (start, text); end: the end of the last part, in code points."""

    def __init__(self, parts: Iterable[tuple[int, str]]) -> None:
        self.parts = sorted(parts, key=itemgetter(0))
        self.starts = [start for start, _ in self.parts]
        self.end = max((start + len(text) for start, text in self.parts), default=0)

    def __bool__(self) -> bool:
        return bool(self.parts)

    def get_text(self, start: int, end: int) -> str:
        """The text of a span, as far as it lies in the last part that begins at or before its start."""
        index = bisect_right(self.starts, start) - 1
        if index < 0:
            return ""
        offset, text = self.parts[index]
        return text[start - offset : end - offset]


class BiocCollector(MentionCollector):
    """Collects the documents of a BioC file."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.composites = CompositeMentions()

    def add_document(self, document: BiocDocument) -> None:
        """Collect the mentions, relations, class and labels of a document, and note its faults."""
        document_id = self.register_document(document.id, document.line, document.column)
        self.left_out += [LeftOut(document_id, *each) for each in document.left_out]
        text = DocumentText(self.iter_passage_texts(document.passages))
        self.keep_text(document_id, text.parts)
        numbers = Counter(annotation.id for annotation in document.annotations)
        nodes = DocumentNodes(repeated={name for name, number in numbers.items() if number > 1})
        identifiers_by_annotation = {
            annotation.id: self.add_annotation(document_id, annotation, text, nodes)
            for annotation in document.annotations
        }
        self.individual_mentions |= self.composites.find_covered_parts()
        self.composites = CompositeMentions()
        for relation in document.relations:
            self.add_relation(document_id, relation, identifiers_by_annotation, nodes)
        if "relevant" in document.infons:
            self.add_relevance(document_id, document)
        self.add_labels(document_id, document)

    def iter_passage_texts(self, passages: Sequence[BiocPassage]) -> Iterator[tuple[int, str]]:
        """(offset, text) of the passages. Empty ones count if the document has text, because they may mark its end."""
        has_text = any(passage.text for passage in passages)
        for passage in passages:
            offset = parse_nonnegative_integer_or_none(passage.offset)
            if offset is not None and has_text:
                yield offset, passage.text or ""
            elif passage.text:
                shown = "nothing" if passage.offset is None else quote_file_text(str(passage.offset))
                problem = f"{shown} is not the offset of a passage"
                fix = "write the number of characters before it in the document"
                self.faults.add("R654", passage.line, passage.column, f"{problem} - {fix}")

    def add_annotation(
        self, document: str, annotation: BiocAnnotation, text: DocumentText, nodes: DocumentNodes
    ) -> tuple[str, ...]:
        """The identifiers of an annotation; adds a mention, and what relations refer to, if its position is valid."""
        infons = annotation.infons
        key = next((key for key in list_identifier_keys(infons) if key in IDENTIFIER_KEYS), "")
        identifiers = split_distinct_identifiers_without_prefix(infons[key]) if key else ()
        kind, role = find_declared_kind(infons), find_declared_role(infons)
        given_type = infons.get("type", "")
        mention_type = (given_type if kind or role else given_type.strip()) or IDENTIFIER_KEYS.get(key, "")
        given = build_given_identifiers(infons, annotation.further_identifiers)
        exact = parse_exact_identifiers("identifier", infons)
        scope, document_scope = DOCUMENT_SCOPE_INFON
        if infons.get(scope) == document_scope:
            nodes.arguments[annotation.id] = TextArgument("", given, mention_type, exact=exact)
            return identifiers
        spans = self.find_spans(annotation, text)
        if not spans:
            return identifiers
        start, end = spans[0].start, max(span.end for span in spans)
        text_at_span = text.get_text(start, end)
        mention_text = text_at_span if annotation.text is None else annotation.text
        if role == EVIDENCE_KIND:
            nodes.evidence[annotation.id] = spans
            return identifiers
        nodes.arguments[annotation.id] = TextArgument("", given, mention_type, spans, mention_text, exact)
        if role:
            return identifiers
        if text and len(annotation.locations) == 1:
            self.check_mention_text(mention_text, text_at_span, annotation.line, annotation.column)
        if kind:
            self.declare_kind(document, kind)
        else:
            for key, value in infons.items():
                if value and key not in MENTION_KEYS and not key.startswith("identifierexact"):
                    self.leave_out_attribute(document, key, annotation.line)
        self.composites.add(infons.get(COMPOSITE_ROLE_KEY, ""), len(self.mentions), Span(start, end))
        self.mentions.add(
            document,
            start,
            end,
            mention_text,
            mention_type,
            identifiers,
            annotation.line,
            given,
            (
                spans if len(spans) > 1 else (),
                exact,
                parse_confidence_or_none(infons.get("confidence", "")),
                parse_positive_number_or_none(infons.get("rank", "")),
            ),
        )
        return identifiers

    def find_spans(self, annotation: BiocAnnotation, text: DocumentText) -> tuple[Span, ...]:
        """The parts of an annotation, sorted; empty if they are missing, invalid or beyond the end of the text."""
        spans = []
        for offset, length in annotation.locations:
            start, width = parse_nonnegative_integer_or_none(offset), parse_nonnegative_integer_or_none(length)
            if start is None or not width:
                values = f"{quote_file_text(str(offset))} and {quote_file_text(str(length))}"
                problem = f"{values} are not the offset and length of a mention"
                fix = "write both as whole numbers, with a length of at least 1"
                self.faults.add("R654", annotation.line, annotation.column, f"{problem} - {fix}")
                return ()
            spans.append(Span(start, start + width))
        if not spans:
            problem = "the annotation has no location - write its offset and length"
            self.faults.add("R654", annotation.line, annotation.column, problem)
            return ()
        start = min(start for start, _ in spans)
        if text and start >= text.end:
            problem = f"the mention starts at {start}, but the text ends at {text.end}"
            self.faults.add("R655", annotation.line, annotation.column, f"{problem} - {COUNT_FROM_START}")
            return ()
        if text and (end := max(end for _, end in spans)) > text.end:
            problem = f"the mention ends at {end}, but the text ends at {text.end}, so the text has only its beginning"
            self.warnings.add("R655", annotation.line, annotation.column, f"{problem} - {COUNT_FROM_START}")
        return merge_overlapping_spans(spans) if len(spans) > 1 else tuple(spans)

    def add_relation(
        self,
        document: str,
        relation: BiocRelation,
        identifiers_by_annotation: Mapping[str, tuple[str, ...]],
        nodes: DocumentNodes,
    ) -> None:
        kind = find_declared_kind(relation.infons)
        if kind:
            self.declare_kind(document, kind)
        relation_type = relation.infons.get("relation") or relation.infons.get("type", "")
        a, b = _find_relation_partners(relation, identifiers_by_annotation)
        pair = InteractionPair(document, a, b, relation_type, relation.line)
        if a and b:
            self.pairs.append(pair)
        elif pair.interacts and kind is None:
            fix = "write Gene1 and Gene2, or two nodes with identifiers"
            self.faults.add("R661", relation.line, relation.column, f"the interaction lacks a partner - {fix}")
        statement = read_statement(document, relation, kind, relation_type, nodes)
        if isinstance(statement, TextRelation):
            self.relations.append(statement)
        elif isinstance(statement, TextEntity):
            self.entities.append(statement)
        elif isinstance(statement, TextLabel):
            self.labels.append(statement)
        elif isinstance(statement, LeftOut):
            self.left_out.append(statement)

    def add_labels(self, document_id: str, document: BiocDocument) -> None:
        """Collect the labels among the infons of a document that does not say them otherwise, with their producers."""
        if Kind.LABEL in self.kinds.get(document_id, ()):
            return
        for key, value in document.infons.items():
            if key.startswith(LABEL_PREFIX) and value:
                self.labels.append(TextLabel(document_id, key.removeprefix(LABEL_PREFIX), value, document.line))

    def add_relevance(self, document_id: str, document: BiocDocument) -> None:
        label = document.infons["relevant"].strip()
        if label.lower() in RELEVANCE_VALUES:
            self.relevant[document_id] = RELEVANCE_VALUES[label.lower()]
            return
        problem = f"the infon relevant is {quote_file_text(label)} - write yes or no"
        self.faults.add("R662", document.line, document.column, problem)


def _find_relation_partners(
    relation: BiocRelation, identifiers_by_annotation: Mapping[str, tuple[str, ...]]
) -> tuple[str, str]:
    """The identifiers of both partners, from the relation itself or from its annotations; empty if unknown."""
    for first, second in PARTNER_KEYS:
        if first in relation.infons or second in relation.infons:
            return relation.infons.get(first, "").strip(), relation.infons.get(second, "").strip()
    if len(relation.nodes) != 2:
        return "", ""
    a, b = (";".join(identifiers_by_annotation.get(node, ())) for node in relation.nodes)
    return a, b


def list_identifier_keys(infons: Infons) -> list[str]:
    """The keys of identifiers that have a value, by priority."""
    return sorted((key for key, value in infons.items() if value and key in KEY_PLACES), key=KEY_PLACES.__getitem__)


def build_given_identifiers(infons: Infons, further: Sequence[str] = ()) -> str:
    """The identifiers of an annotation in one field, each behind its database where only the key says it."""
    fields = []
    for key in list_identifier_keys(infons):
        database, value = DATABASES_BY_KEY[key], infons[key]
        fields.append(f"{database}:{value.strip()}" if database else value)
    return ";".join(dict.fromkeys((*fields, *further)))


def merge_overlapping_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in the order of the text; those that overlap become one."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)
