"""Reader of the PSI-MI ontology of molecular interactions, an OBO file.

Format: https://owlcollab.github.io/oboformat/doc/GO.format.obo-1_4.html
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_names import list_distinct_nonempty_names
from annotations.identifiers.namespaces import NAMESPACES
from annotations.identifiers.tables.table_lines import INCOMPLETE, NOT_IDENTIFIER, FaultNotingTableLines

PSI_MI = "PSI-MI"
IDENTIFIER = NAMESPACES["psi-mi"].pattern
TAG = re.compile(r"([A-Za-z_-]+): ?(.*)")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
ESCAPED = re.compile(r"\\(.)")


@dataclass(slots=True)
class _Term:
    line: int
    id: str = ""
    name: str = ""
    synonyms: list[str] = field(default_factory=list)
    alternative_ids: list[str] = field(default_factory=list)
    successors: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    obsolete: bool = False


def read_psi_mi_terms_with_aliases(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The terms of the ontology. Obsolete ones are withdrawn; the successor of an alternative id is its term."""
    term = None
    for text in lines:
        if text.startswith("["):
            yield from _iter_term_records(lines, term)
            term = _Term(lines.number) if text.strip() == "[Term]" else None
        elif term is not None and (match := TAG.match(text)):
            _apply_tag(term, match[1], match[2])
    yield from _iter_term_records(lines, term)


def _apply_tag(term: _Term, tag: str, value: str) -> None:
    match tag:
        case "id":
            term.id = _strip_comment(value)
        case "name":
            term.name = ESCAPED.sub(r"\1", value).strip()
        case "synonym" if quoted := QUOTED.match(value):
            term.synonyms.append(ESCAPED.sub(r"\1", quoted[1]))
        case "alt_id":
            term.alternative_ids.append(_strip_comment(value))
        case "replaced_by":
            term.successors.append(_strip_comment(value))
        case "is_a":
            term.parents.append(_strip_comment(value))
        case "is_obsolete":
            term.obsolete = _strip_comment(value) == "true"


def _strip_comment(value: str) -> str:
    """The value without a trailing comment."""
    return value.split(" !", 1)[0].strip()


def _iter_term_records(lines: FaultNotingTableLines, term: _Term | None) -> Iterator[EntryRecord]:
    if term is None:
        return
    if not term.id or not term.name:
        lines.add_fault(
            1, INCOMPLETE, "the term that begins here has no id or name - download the file again", line=term.line
        )
        return
    if malformed := [
        name for name in (term.id, *term.alternative_ids, *term.successors) if not IDENTIFIER.fullmatch(name)
    ]:
        message = f"“{malformed[0][:40]}” is not a PSI-MI identifier - use psi-mi.obo as published"
        lines.add_fault(1, NOT_IDENTIFIER, message, line=term.line)
        return
    record = EntryRecord(
        "psi-mi",
        term.id,
        PSI_MI,
        name=term.name,
        synonyms=list_distinct_nonempty_names(term.synonyms, exclude=(term.name,)),
        withdrawn=term.obsolete,
        successors=tuple(term.successors) if term.obsolete else (),
        parents=() if term.obsolete else tuple(filter(IDENTIFIER.fullmatch, term.parents)),
    )
    yield record
    for alternative in term.alternative_ids:
        yield replace(record, identifier=alternative, withdrawn=True, successors=(term.id,), parents=())
