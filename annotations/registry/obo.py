"""The PSI-MI ontology of molecular interactions, as an OBO file.

Format: https://owlcollab.github.io/oboformat/doc/GO.format.obo-1_4.html
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from annotations.databases import DATABASES
from annotations.registry.entries import EntryRecord
from annotations.registry.names import distinct
from annotations.registry.table_lines import INCOMPLETE, NOT_IDENTIFIER, TableLines

PSI_MI = "PSI-MI"
IDENTIFIER = DATABASES["psi-mi"].pattern
TAG = re.compile(r"([A-Za-z_-]+): ?(.*)")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
ESCAPED = re.compile(r"\\(.)")


@dataclass(slots=True)
class _Term:
    line: int
    id: str = ""
    name: str = ""
    synonyms: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    successors: list[str] = field(default_factory=list)
    obsolete: bool = False


def read_obo(lines: TableLines) -> Iterator[EntryRecord]:
    """The terms of the ontology; an obsolete one is withdrawn, an alternative identifier leads to its term."""
    term = None
    for text in lines:
        if text.startswith("["):
            yield from _told(lines, term)
            term = _Term(lines.number) if text.strip() == "[Term]" else None
        elif term is not None and (found := TAG.match(text)):
            _take(term, found[1], found[2])
    yield from _told(lines, term)


def _take(term: _Term, tag: str, value: str) -> None:
    match tag:
        case "id":
            term.id = _plain(value)
        case "name":
            term.name = ESCAPED.sub(r"\1", value).strip()
        case "synonym" if found := QUOTED.match(value):
            term.synonyms.append(ESCAPED.sub(r"\1", found[1]))
        case "alt_id":
            term.others.append(_plain(value))
        case "replaced_by":
            term.successors.append(_plain(value))
        case "is_obsolete":
            term.obsolete = _plain(value) == "true"


def _plain(value: str) -> str:
    """An identifier without the comment after it."""
    return value.split(" !", 1)[0].strip()


def _told(lines: TableLines, term: _Term | None) -> Iterator[EntryRecord]:
    if term is None:
        return
    if not term.id or not term.name:
        lines.fault(1, INCOMPLETE, "the term that begins here has no id or name - download it again", line=term.line)
        return
    if wrong := [name for name in (term.id, *term.others, *term.successors) if not IDENTIFIER.fullmatch(name)]:
        text = f"“{wrong[0][:40]}” is not a PSI-MI identifier - take psi-mi.obo as published"
        lines.fault(1, NOT_IDENTIFIER, text, line=term.line)
        return
    told = EntryRecord(
        "psi-mi",
        term.id,
        PSI_MI,
        name=term.name,
        synonyms=distinct(term.synonyms, but=(term.name,)),
        withdrawn=term.obsolete,
        successors=tuple(term.successors) if term.obsolete else (),
    )
    yield told
    for other in term.others:
        yield replace(told, identifier=other, withdrawn=True, successors=(term.id,))
