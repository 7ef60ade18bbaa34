"""The interactions of a file as items of a curation, and what of them is left out."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from annotations.curation.contents import build_interaction_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.states import ItemKind
from annotations.digital_abstract import Detection, EvidencePassage, Interaction, Source
from annotations.digital_abstract_json import build_interaction_json
from annotations.identifiers.psi_mi_terms import PsiMiTerms
from annotations.rules.digital_abstracts import find_interaction_faults
from annotations.schema import Span
from bcms.curation.continuation.entry_faults import NamedEntries, list_entry_faults
from bcms.curation.continuation.left_out import LeftOutPart


def iter_interaction_items(
    interactions: Iterable[tuple[int, Interaction]],
    text: str,
    terms: PsiMiTerms,
    entries: NamedEntries,
    basis: Source,
    left_out: list[LeftOutPart],
) -> Iterator[ItemProposal]:
    """The interactions, each with its line, that can be taken over; others are added to left_out.

    Passages that are not in the text are left out of their interaction. An interaction that breaks a rule is left out.
    """
    for line, interaction in interactions:
        placed = _place_passages(left_out, line, interaction, text)
        placed = replace(placed, sources=tuple(dict.fromkeys((*interaction.sources, basis))))
        faults = [f"{each.message} {each.mend}" for each in find_interaction_faults(placed, text, terms)]
        faults += _list_faults_of_participants(placed, entries)
        if faults:
            names = " and ".join(each.name or each.entity.identifier for each in placed.participants[:4])
            left_out.append(LeftOutPart(line, f"interaction of {names}"[:200], faults[0]))
        else:
            yield ItemProposal(ItemKind.INTERACTION, _make_key(placed), build_interaction_content(placed))


def _place_passages(left_out: list[LeftOutPart], line: int, interaction: Interaction, text: str) -> Interaction:
    """The interaction with the positions of its passages in the text; those that are not in it are left out."""
    detections: list[Detection] = []
    for detection in interaction.detections:
        placed = [(passage, _find_passage(passage, text)) for passage in detection.evidence]
        for passage, found_passage in placed:
            if found_passage is None:
                part = f"passage “{passage.text[:80]}”"
                left_out.append(LeftOutPart(line, part, "it is not in the text of the article"))
        detections.append(replace(detection, evidence=tuple(each for _, each in placed if each is not None)))
    return replace(interaction, detections=tuple(detections))


def _find_passage(passage: EvidencePassage, text: str) -> EvidencePassage | None:
    if passage.text and text[slice(*passage.span)] == passage.text:
        return passage
    start = text.find(passage.text) if passage.text else -1
    return None if start < 0 else replace(passage, span=Span(start, start + len(passage.text)))


def _list_faults_of_participants(interaction: Interaction, entries: NamedEntries) -> list[str]:
    entities = [each.entity for each in interaction.participants]
    unnamed = [
        f"“{identifier[:60]}” has no database. Write it as in uniprotkb:P04637."
        for database, identifier in entities
        if not database
    ]
    return [*unnamed, *list_entry_faults(entities, entries)]


def _make_key(interaction: Interaction) -> str:
    """Equal for equal interactions, so that a file that is sent twice adds nothing the second time."""
    content = json.dumps(build_interaction_json(replace(interaction, sources=())), sort_keys=True)
    return f"file-{hashlib.sha256(content.encode()).hexdigest()[:24]}"
