"""Reads the attributes of an entry of PSI-MI XML that have the digital abstract apart from its interactions."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from annotations.digital_abstract import AbstractState, Contributor, DigitalAbstract, Origin, Source
from annotations.digital_abstract_json import parse_annotation_json
from annotations.formats.errors import quote_file_text
from annotations.formats.psi_mi_xml.nodes import XmlNode
from annotations.formats.psi_mi_xml.vocabulary import (
    ANNOTATION_ATTRIBUTE,
    CONTRIBUTOR_ATTRIBUTE,
    NOTHING_FOUND_ATTRIBUTE,
    ORGANISM_ATTRIBUTE,
    ORGANISM_SOURCE_ATTRIBUTE,
    STATE_ATTRIBUTE,
    TRUE_VALUE,
    UPDATED_ATTRIBUTE,
)
from annotations.json_members import JsonMemberError
from bcms.lib.json_input import JsonInputError, parse_bounded_json

ORIGIN_LIST = ", ".join(Origin)


class InvalidAttributeError(ValueError):
    """An attribute of ours has another form than we write; the message says which and, after a dash, how to fix it."""


def parse_origin_and_name(text: str) -> tuple[Origin, str]:
    """The parts of `system GNormPlus`. InvalidAttributeError if the first word is no origin."""
    word, _, name = text.partition(" ")
    try:
        return Origin(word), name
    except ValueError:
        problem = f"{quote_file_text(text)} does not begin with where something is from"
        raise InvalidAttributeError(f"{problem} - write one of {ORIGIN_LIST} first") from None


def is_own_entry(attributes: XmlNode | None) -> bool:
    """Whether the attributes of an entry are those of an export of ours: it has a state."""
    return any(name == STATE_ATTRIBUTE for name, _ in _list_attributes(attributes))


def read_abstract_of_entry(attributes: XmlNode | None, note_fault: Callable[[XmlNode, str], None]) -> DigitalAbstract:
    """The digital abstract without its interactions; that of files of other programs is a draft with nothing else."""
    abstract = DigitalAbstract()
    for name, attribute in _list_attributes(attributes):
        if add := _ADDERS.get(name):
            try:
                abstract = add(abstract, attribute.text)
            except (InvalidAttributeError, JsonMemberError) as error:
                note_fault(attribute, str(error))
    return abstract


def _list_attributes(attributes: XmlNode | None) -> list[tuple[str, XmlNode]]:
    found = attributes.iter_children("attribute") if attributes else ()
    return [(each.attributes.get("name", ""), each) for each in found]


def _add_state(abstract: DigitalAbstract, text: str) -> DigitalAbstract:
    try:
        return replace(abstract, state=AbstractState(text))
    except ValueError:
        problem = f"{quote_file_text(text)} is no state of a digital abstract"
        raise InvalidAttributeError(f"{problem} - write one of {', '.join(AbstractState)}") from None


def _add_updated(abstract: DigitalAbstract, text: str) -> DigitalAbstract:
    return replace(abstract, updated=text)


def _add_nothing_found(abstract: DigitalAbstract, text: str) -> DigitalAbstract:
    return replace(abstract, nothing_found=text == TRUE_VALUE)


def _add_organism(abstract: DigitalAbstract, text: str) -> DigitalAbstract:
    return replace(abstract, organisms=(*abstract.organisms, _parse_taxon(text)))


def _parse_taxon(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 10):
        problem = f"{quote_file_text(text)} is no organism"
        raise InvalidAttributeError(f"{problem} - write a number of NCBI Taxonomy, such as 9606")
    return int(text)


def _add_organism_source(abstract: DigitalAbstract, text: str) -> DigitalAbstract:
    number, _, rest = text.partition(" ")
    taxon, (origin, name) = _parse_taxon(number), parse_origin_and_name(rest)
    if taxon not in abstract.organisms:
        problem = f"{taxon} is not an organism of the record"
        raise InvalidAttributeError(f"{problem} - write the attribute {ORGANISM_ATTRIBUTE} with it before this one")
    sources = (*abstract.organism_sources.get(taxon, ()), Source(name, origin))
    return replace(abstract, organism_sources={**abstract.organism_sources, taxon: sources})


def _add_contributor(abstract: DigitalAbstract, text: str) -> DigitalAbstract:
    origin, rest = parse_origin_and_name(text)
    orcid, _, name = rest.partition(" ")
    contributor = Contributor(name, origin, "" if orcid == "-" else orcid)
    return replace(abstract, contributors=(*abstract.contributors, contributor))


def _add_annotation(abstract: DigitalAbstract, text: str) -> DigitalAbstract:
    try:
        members = parse_bounded_json(text.encode())
    except JsonInputError as error:
        raise InvalidAttributeError(f"{str(error).rstrip('.')} - write the annotation as a JSON object") from None
    if not isinstance(members, dict):
        raise InvalidAttributeError("the annotation is no JSON object - write one")
    return replace(abstract, annotations=(*abstract.annotations, parse_annotation_json(members, "annotation")))


_ADDERS: Mapping[str, Callable[[DigitalAbstract, str], DigitalAbstract]] = {
    STATE_ATTRIBUTE: _add_state,
    UPDATED_ATTRIBUTE: _add_updated,
    NOTHING_FOUND_ATTRIBUTE: _add_nothing_found,
    ORGANISM_ATTRIBUTE: _add_organism,
    ORGANISM_SOURCE_ATTRIBUTE: _add_organism_source,
    CONTRIBUTOR_ATTRIBUTE: _add_contributor,
    ANNOTATION_ATTRIBUTE: _add_annotation,
}
