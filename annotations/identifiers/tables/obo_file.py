"""Reader of ontologies in OBO: GO, ChEBI, Mondo, HPO, the Disease Ontology, Cellosaurus and others.

Format: https://owlcollab.github.io/oboformat/doc/GO.format.obo-1_4.html. PSI-MI has a reader of its own in obo.py,
because the file that is published does not keep to the format.
"""

import re
from collections.abc import Iterable, Iterator

import fastobo

from annotations.identifiers.curies import parse_curie_or_url
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.tables.ontology_terms import OntologyTerm, iter_entries_of_own_terms
from annotations.identifiers.tables.table_lines import NOT_WELL_FORMED, FaultNotingTableLines

# Cellosaurus does not say of any synonym that it is exact.
DATABASE_WITHOUT_EXACT_SYNONYMS = "cellosaurus"
# Clauses with other tags are not read, and published files have errors in them.
UNREAD_CLAUSE = re.compile(
    r"(?!(?:format-version|ontology|id|name|synonym|alt_id|replaced_by|is_obsolete):)[A-Za-z][\w-]*:", re.ASCII
)
EXACT = ("EXACT",)
ANY_SCOPE = ("EXACT", "BROAD", "NARROW", "RELATED")


def read_obo_terms_with_aliases(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The ontology's own terms. Raises RefusedFileError (R437) at the first line that is not OBO."""
    stream = _OboStream(lines)
    try:
        frames = fastobo.iter(stream, ordered=True, threads=1)
        ontology = next(
            (each.ontology for each in frames.header() if isinstance(each, fastobo.header.OntologyClause)), ""
        )
        yield from iter_entries_of_own_terms(lines, _iter_terms(frames), ontology)
    except SyntaxError as error:
        lines.number = error.lineno or lines.number
        lines.refuse(error.offset or 1, NOT_WELL_FORMED, f"this is not OBO ({error.msg}) - download the file again")


class _OboStream:
    """The lines as a stream of UTF-8; those with faults and those that are not read are empty."""

    def __init__(self, lines: FaultNotingTableLines) -> None:
        self.lines = lines
        self.texts = iter(lines)
        self.number = 0
        self.rest = b""

    def read(self, size: int) -> bytes:
        parts, length = [self.rest], len(self.rest)
        while length < size and (text := next(self.texts, None)) is not None:
            skipped = self.lines.number - self.number - 1
            self.number = self.lines.number
            line = b"" if UNREAD_CLAUSE.match(text) else text.encode()
            parts.append(b"\n" * skipped + line + b"\n")
            length += len(parts[-1])
        content = b"".join(parts)
        self.rest = content[size:]
        return content[:size]


def _iter_terms(frames: Iterable[object]) -> Iterator[OntologyTerm]:
    for frame in frames:
        if isinstance(frame, fastobo.term.TermFrame):
            yield _make_term(frame)


def _make_term(frame: fastobo.term.TermFrame) -> OntologyTerm:
    identifier = str(frame.id)
    entity = parse_curie_or_url(identifier)
    scopes = ANY_SCOPE if entity and entity.database == DATABASE_WITHOUT_EXACT_SYNONYMS else EXACT
    name, obsolete = "", False
    synonyms, alternative_ids, successors = [], [], []
    for clause in frame:
        match clause:
            case fastobo.term.NameClause():
                name = clause.name.strip()
            case fastobo.term.SynonymClause() if clause.synonym.scope in scopes:
                synonyms.append(clause.synonym.desc)
            case fastobo.term.AltIdClause():
                alternative_ids.append(str(clause.alt_id))
            case fastobo.term.ReplacedByClause():
                successors.append(str(clause.term))
            case fastobo.term.IsObsoleteClause():
                obsolete = clause.obsolete
    return OntologyTerm(identifier, name, tuple(synonyms), tuple(alternative_ids), tuple(successors), obsolete)
