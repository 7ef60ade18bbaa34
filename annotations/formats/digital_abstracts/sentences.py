"""States each interaction of a digital abstract in one sentence, with the identifiers of what it names.

"BRCA2 (uniprotkb:P51587) physically interacts with RAD51 (uniprotkb:Q06609) by two hybrid (MI:0018)." Source of the
form: Seringhaus & Gerstein 2007 (BMC Bioinformatics 8, 17) and the structured digital abstracts of FEBS Letters.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from annotations.digital_abstract import Interaction, Participant
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.formats.digital_abstracts.interaction_verbs import (
    INTERACTION_VERBS,
    OTHER_INTERACTION,
    InteractionVerb,
)
from annotations.identifiers.curies import format_curie_for_readers
from annotations.identifiers.namespaces import build_entry_url_or_empty
from annotations.identifiers.psi_mi_terms import PSI_MI_NAMESPACE
from annotations.schema import EntityId
from bcms.lib.text import collapse_white_space
from bcms.lib.xml_text import escape_xml_text_replacing_invalid_characters as escape
from bcms.lib.xml_text import quote_xml_attribute_replacing_invalid_characters as quote_attribute

ENZYME_ROLE = "MI:0501"
UNIPROT_PREFIX = "uniprotkb:"


class SentencePiece(NamedTuple):
    """A part of a sentence as plain text, with the URL that it is a link to, "" for none."""

    text: str
    url: str = ""


def list_sentences(exported: ExportedAbstract) -> list[str]:
    """One sentence of plain text for each interaction, in their order."""
    return [format_sentence(build_sentence(exported, each)) for each in exported.abstract.interactions]


def format_sentence(pieces: Iterable[SentencePiece]) -> str:
    """A sentence as plain text on one line."""
    return collapse_white_space("".join(piece.text for piece in pieces))


def format_sentence_html(pieces: Iterable[SentencePiece]) -> str:
    """A sentence as HTML: everything is escaped, and identifiers are links to their entries."""
    return "".join(
        f"<a href={quote_attribute(url)}>{escape(text)}</a>" if url else escape(text) for text, url in pieces
    )


def build_sentence(exported: ExportedAbstract, interaction: Interaction) -> list[SentencePiece]:
    """The sentence about an interaction of the digital abstract, piece by piece."""
    return [
        *_iter_clause(exported, interaction),
        *_iter_methods(exported, interaction.methods),
        SentencePiece("."),
    ]


def _iter_clause(exported: ExportedAbstract, interaction: Interaction) -> Iterator[SentencePiece]:
    """What interacts, without the methods."""
    verb = INTERACTION_VERBS.get(interaction.interaction_type, OTHER_INTERACTION)
    actor, others = _split_participants(interaction, verb)
    names_type = interaction.interaction_type not in INTERACTION_VERBS or (verb.is_action and actor is None)
    if actor is None:
        yield from _iter_joined(_build_participant(exported, each) for each in others)
        plural = OTHER_INTERACTION.plural if verb.is_action else verb.plural
        yield from _iter_verb(interaction, f"do not {plural}" if interaction.negative else plural)
    else:
        yield from _build_participant(exported, actor)
        words = f"does not {verb.base}" if interaction.negative else verb.third_person
        yield from _iter_verb(interaction, f"{words} {verb.preposition}".rstrip())
        yield SentencePiece(" ")
        yield from _iter_joined(_build_participant(exported, each) for each in others) if others else _iter_itself()
    if names_type:
        yield SentencePiece(", type ")
        yield from _build_term(exported, interaction.interaction_type)
        yield SentencePiece("," if interaction.detections else "")


def _iter_itself() -> Iterator[SentencePiece]:
    yield SentencePiece("itself")


def _split_participants(
    interaction: Interaction, verb: InteractionVerb
) -> tuple[Participant | None, Sequence[Participant]]:
    """The subject and the objects of the sentence; without a subject, all participants are it together.

    No objects: it interacts with itself. Who acts in an enzymatic reaction is the enzyme, or the first participant of a
    directed interaction.
    """
    participants = interaction.participants
    if len({participant.entity for participant in participants}) == 1:
        return participants[0], ()
    enzymes = [each for each in participants if each.biological_role == ENZYME_ROLE]
    if verb.is_action and len(enzymes) == 1:
        return enzymes[0], [each for each in participants if each is not enzymes[0]]
    if interaction.directed or (len(participants) == 2 and not verb.is_action):
        return participants[0], participants[1:]
    return None, participants


def _iter_verb(interaction: Interaction, words: str) -> Iterator[SentencePiece]:
    """The verb after a space, with a link to the type of the interaction."""
    yield SentencePiece(" ")
    yield SentencePiece(words, build_entry_url_or_empty(PSI_MI_NAMESPACE, interaction.interaction_type))


def _build_participant(exported: ExportedAbstract, participant: Participant) -> list[SentencePiece]:
    """The name and, in parentheses, the identifier."""
    name = collapse_white_space(exported.get_participant_name(participant))
    identifier = SentencePiece(
        format_entity_in_sentence(participant.entity), build_entry_url_or_empty(*participant.entity)
    )
    if name in (identifier.text, participant.entity.identifier, ""):
        return [identifier]
    return [SentencePiece(f"{name} ("), identifier, SentencePiece(")")]


def format_entity_in_sentence(entity: EntityId) -> str:
    """The CURIE as databases of interactions write it: uniprotkb:P51587; others in the form that is usual in texts."""
    if entity.database == "uniprot":
        return f"{UNIPROT_PREFIX}{entity.identifier}"
    return format_curie_for_readers(entity)


def _build_term(exported: ExportedAbstract, term: str) -> list[SentencePiece]:
    name = exported.get_term_name(term)
    link = SentencePiece(term, build_entry_url_or_empty(PSI_MI_NAMESPACE, term))
    return [link] if name == term else [SentencePiece(f"{name} ("), link, SentencePiece(")")]


def _iter_methods(exported: ExportedAbstract, methods: Sequence[str]) -> Iterator[SentencePiece]:
    if methods:
        yield SentencePiece(" by ")
        yield from _iter_joined(_build_term(exported, method) for method in methods)


def _iter_joined(parts: Iterable[Sequence[SentencePiece]]) -> Iterator[SentencePiece]:
    """The parts with commas, and with "and" before the last one."""
    listed = list(parts)
    for number, part in enumerate(listed, 1):
        yield from part
        if number < len(listed):
            yield SentencePiece(" and " if number == len(listed) - 1 else ", ")
