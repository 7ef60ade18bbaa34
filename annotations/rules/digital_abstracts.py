"""What is wrong with the interactions and organisms of a structured digital abstract (R141 to R155).

What only is missing is listed by annotations/rules/mimix.py. The other annotations of a digital abstract have the rules
of annotations/annotation_rules.py.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from annotations.digital_abstract import DigitalAbstract, EvidencePassage, Interaction, Participant, Source
from annotations.identifiers.namespaces import find_namespace, namespace_title_or_raw_name
from annotations.identifiers.psi_mi_terms import (
    BIOLOGICAL_ROLE_BRANCH,
    EXPERIMENTAL_ROLE_BRANCH,
    METHOD_BRANCH,
    TYPE_BRANCH,
    PsiMiTerms,
)
from annotations.rules.characters import UNSTORABLE
from annotations.rules.confidences import LARGEST_INTEGER
from annotations.rules.digital_abstract_rules import (
    CHARACTER_RULE,
    CONFIDENCE_RULE,
    DIRECTION_RULE,
    IDENTIFIER_RULE,
    LENGTH_RULE,
    LONGEST_COMMENT,
    LONGEST_FIGURE,
    LONGEST_IDENTIFIER,
    LONGEST_NAME,
    METHOD_RULE,
    MOST_INTERACTIONS,
    MOST_METHODS,
    MOST_ORGANISMS,
    MOST_PARTICIPANTS,
    MOST_PASSAGES,
    ORGANISM_RULE,
    PARTICIPANTS_RULE,
    PASSAGE_RULE,
    REPEATED_METHOD_RULE,
    ROLE_RULE,
    SELF_RULE,
    SPAN_RULE,
    TERM_RULE,
    TYPE_RULE,
    DigitalAbstractRule,
)
from annotations.rules.messages import quote_value
from annotations.schema import BrokenRule

BRANCH_NAMES = {
    METHOD_BRANCH: "an interaction detection method",
    TYPE_BRANCH: "an interaction type",
    BIOLOGICAL_ROLE_BRANCH: "a biological role",
    EXPERIMENTAL_ROLE_BRANCH: "an experimental role",
}
Faults = Iterator[BrokenRule]


def find_abstract_faults(abstract: DigitalAbstract, article_text: str, terms: PsiMiTerms) -> list[BrokenRule]:
    """The rules that a digital abstract breaks, interaction by interaction.

    article_text: the canonical text, whose code points the spans count. terms: those of the site. The place of a fault
    is its path: "interactions[0].participants[1].entity".
    """
    faults = [*_iter_abstract_faults(abstract)]
    for index, interaction in enumerate(abstract.interactions[:MOST_INTERACTIONS]):
        faults += find_interaction_faults(interaction, article_text, terms, f"interactions[{index}]")
    return faults


def find_interaction_faults(
    interaction: Interaction, article_text: str, terms: PsiMiTerms, path: str = ""
) -> list[BrokenRule]:
    """The rules that one interaction breaks. path: what the path of each fault begins with, "" for the interaction."""
    start = f"{path}." if path else ""
    return [
        *_iter_participant_number_faults(interaction, start),
        *_iter_self_interaction_faults(interaction, start),
        *_iter_type_faults(interaction, terms, start),
        *_iter_method_faults(interaction, terms, start),
        *_iter_detail_faults(interaction, start),
        *(
            fault
            for index, participant in enumerate(interaction.participants[:MOST_PARTICIPANTS])
            for fault in _iter_participant_faults(participant, terms, f"{start}participants[{index}]")
        ),
        *_iter_evidence_faults(interaction, article_text, start),
    ]


def find_direction_faults(interaction: Interaction, terms: PsiMiTerms, path: str = "") -> list[BrokenRule]:
    """The fault of a direction that the type of the interaction does not have. path: as of find_interaction_faults.

    It is no fault of a record: a direction that is there already is kept, and one that somebody adds is refused.
    """
    if not interaction.directed or terms.has_direction(interaction.interaction_type):
        return []
    type_name = f"{terms.get_name(interaction.interaction_type)} ({interaction.interaction_type})"
    what = f"The type {type_name}" if interaction.interaction_type else "An interaction without a type"
    return [_make_fault(DIRECTION_RULE, f"{path}.directed" if path else "directed", f"{what} has no direction.")]


def _make_fault(rule: DigitalAbstractRule, path: str, message: str) -> BrokenRule:
    return BrokenRule(rule.code, path, message, rule.hint)


def _iter_abstract_faults(abstract: DigitalAbstract) -> Faults:
    number = len(abstract.interactions)
    if number > MOST_INTERACTIONS:
        yield _make_fault(LENGTH_RULE, "interactions", f"There are {number:,} interactions.")
    if len(abstract.organisms) > MOST_ORGANISMS:
        yield _make_fault(LENGTH_RULE, "organisms", f"There are {len(abstract.organisms):,} organisms.")
    for index, taxon in enumerate(abstract.organisms[:MOST_ORGANISMS]):
        yield from _iter_taxon_faults(taxon, f"organisms[{index}]")
    for index, sources in enumerate(abstract.organism_sources.values()):
        yield from iter_source_faults(sources, f"organism_sources[{index}].")
    for index, sourced in enumerate(abstract.annotations):
        yield from iter_source_faults(sourced.sources, f"annotations[{index}].")


def _iter_taxon_faults(taxon: int, path: str) -> Faults:
    if not 1 <= taxon <= LARGEST_INTEGER:
        yield _make_fault(ORGANISM_RULE, path, f"{taxon} is not an identifier of the NCBI Taxonomy.")


def _iter_participant_number_faults(interaction: Interaction, start: str) -> Faults:
    participants = interaction.participants
    if len(participants) > MOST_PARTICIPANTS:
        yield _make_fault(
            PARTICIPANTS_RULE, f"{start}participants", f"The interaction has {len(participants):,} participants."
        )
    elif not participants:
        yield _make_fault(PARTICIPANTS_RULE, f"{start}participants", "The interaction has no participants.")
    elif len(participants) == 1 and not participants[0].is_self:
        message = "The interaction has one participant, which is not marked as interacting with itself."
        yield _make_fault(PARTICIPANTS_RULE, f"{start}participants", message)


def _iter_self_interaction_faults(interaction: Interaction, start: str) -> Faults:
    """A fault for each molecule that is there several times, at the second; one that is marked is enough."""
    marked = {participant.entity for participant in interaction.participants if participant.is_self}
    counts = Counter[object]()
    for index, participant in enumerate(interaction.participants[:MOST_PARTICIPANTS]):
        entity = participant.entity
        counts[entity] += 1
        if counts[entity] == 2 and entity not in marked:
            message = f"{quote_value(entity.identifier)} is there twice and not marked as interacting with itself."
            yield _make_fault(SELF_RULE, f"{start}participants[{index}].entity", message)


def _iter_type_faults(interaction: Interaction, terms: PsiMiTerms, start: str) -> Faults:
    if interaction.interaction_type:
        yield from _iter_term_faults(interaction.interaction_type, TYPE_BRANCH, TYPE_RULE, terms, f"{start}type")


def _iter_term_faults(term: str, branch: str, rule: DigitalAbstractRule, terms: PsiMiTerms, path: str) -> Faults:
    """What is wrong with a term that has to be below the root of a branch."""
    if terms.find_term(term) is None:
        yield _make_fault(TERM_RULE, path, f"{quote_value(term)} is not a current term of PSI-MI for curation.")
    elif not terms.is_below(term, branch):
        yield _make_fault(rule, path, f"{terms.get_name(term)} ({term}) is not {BRANCH_NAMES[branch]}.")


def _iter_method_faults(interaction: Interaction, terms: PsiMiTerms, start: str) -> Faults:
    methods = interaction.methods
    if len(methods) > MOST_METHODS:
        yield _make_fault(LENGTH_RULE, f"{start}detections", f"The interaction has {len(methods):,} methods.")
    for index, method in enumerate(methods[:MOST_METHODS]):
        path = f"{start}detections[{index}].method"
        yield from _iter_term_faults(method, METHOD_BRANCH, METHOD_RULE, terms, path)
        if method in methods[:index]:
            yield _make_fault(REPEATED_METHOD_RULE, path, f"{terms.get_name(method)} ({method}) is given twice.")


def _iter_detail_faults(interaction: Interaction, start: str) -> Faults:
    confidence = interaction.confidence
    # NaN is not greater than 0.
    if confidence is not None and not 0 < confidence <= 1:
        yield _make_fault(CONFIDENCE_RULE, f"{start}confidence", f"The confidence is {confidence:g}.")
    yield from _iter_text_faults(interaction.comment, LONGEST_COMMENT, f"{start}comment")
    yield from iter_source_faults(interaction.sources, start)


def iter_source_faults(sources: Iterable[Source], start: str = "") -> Faults:
    """The rules that the names of sources break. start: what the path of each fault begins with."""
    for index, source in enumerate(sources):
        yield from _iter_text_faults(source.name, LONGEST_NAME, f"{start}sources[{index}].name")


def _iter_text_faults(text: str, longest: int, path: str) -> Faults:
    if len(text) > longest:
        yield _make_fault(LENGTH_RULE, path, f"It has {len(text):,} characters; at most {longest:,} are allowed.")
    if match := UNSTORABLE.search(text):
        yield _make_fault(CHARACTER_RULE, path, f"It contains the character U+{ord(match[0]):04X}.")


def _iter_participant_faults(participant: Participant, terms: PsiMiTerms, path: str) -> Faults:
    yield from _iter_identifier_faults(participant, f"{path}.entity")
    yield from _iter_text_faults(participant.name, LONGEST_NAME, f"{path}.name")
    if participant.taxon is not None:
        yield from _iter_taxon_faults(participant.taxon, f"{path}.taxon")
    biological, experimental = participant.biological_role, participant.experimental_role
    yield from _iter_term_faults(biological, BIOLOGICAL_ROLE_BRANCH, ROLE_RULE, terms, f"{path}.biological_role")
    yield from _iter_term_faults(experimental, EXPERIMENTAL_ROLE_BRANCH, ROLE_RULE, terms, f"{path}.experimental_role")


def _iter_identifier_faults(participant: Participant, path: str) -> Faults:
    """What is wrong with the form of an identifier. Databases that the site does not know have any form."""
    database, identifier = participant.entity
    yield from _iter_text_faults(identifier, LONGEST_IDENTIFIER, path)
    namespace = find_namespace(database)
    if not identifier.strip():
        yield _make_fault(IDENTIFIER_RULE, path, "The participant has no identifier.")
    elif namespace and not namespace.pattern.fullmatch(identifier):
        message = f"{quote_value(identifier)} is not an identifier of {namespace_title_or_raw_name(database)}."
        yield _make_fault(IDENTIFIER_RULE, path, message)


def _iter_evidence_faults(interaction: Interaction, article_text: str, start: str) -> Faults:
    number = sum(len(detection.evidence) for detection in interaction.detections)
    if number > MOST_PASSAGES:
        yield _make_fault(LENGTH_RULE, f"{start}detections", f"The interaction has {number:,} passages.")
        return
    for method_index, detection in enumerate(interaction.detections[:MOST_METHODS]):
        for index, passage in enumerate(detection.evidence):
            path = f"{start}detections[{method_index}].evidence[{index}]"
            yield from _iter_passage_faults(passage, article_text, path)


def _iter_passage_faults(passage: EvidencePassage, article_text: str, path: str) -> Faults:
    yield from _iter_text_faults(passage.figure, LONGEST_FIGURE, f"{path}.figure")
    start, end = passage.span
    if not 0 <= start < end <= len(article_text):
        message = f"The passage covers characters {start:,} to {end:,}, but the text has {len(article_text):,}."
        yield _make_fault(SPAN_RULE, f"{path}.span", message)
    elif article_text[start:end] != passage.text:
        message = f"The article has {quote_value(article_text[start:end])} there, not {quote_value(passage.text)}."
        yield _make_fault(PASSAGE_RULE, f"{path}.text", message)
