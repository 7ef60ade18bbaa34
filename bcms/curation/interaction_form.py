"""Read an interaction from the form of the workspace.

Parallel lists describe the participants (participant, name, biological_role, experimental_role), and organism-1 is that
of the first; method-1, evidence-1 (spans as "20-58", several times) and figure-1 are of the first detection, and so on.
Rows without an identifier are left out. What a form has no field for stays as it is in the item.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.http import QueryDict

from annotations.curation.contents import build_interaction_content, read_interaction_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.errors import CurationError
from annotations.curation.models import Candidate, Curation, DecidedItem
from annotations.curation.states import ItemKind
from annotations.digital_abstract import (
    UNSPECIFIED_ROLE,
    Detection,
    EvidencePassage,
    Interaction,
    Participant,
)
from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.queries import find_named_entries, find_psi_mi_terms
from annotations.rules.digital_abstract_rules import LONGEST_COMMENT, LONGEST_FIGURE, LONGEST_NAME, MOST_METHODS
from annotations.rules.digital_abstracts import find_direction_faults, find_interaction_faults
from annotations.schema import Span
from bcms.curation.given_entities import read_given_entity, read_given_organism
from bcms.lib.text import join_line_breaks, replace_unstorable_characters

INDEXED_PATH = re.compile(r"(?P<list>participants|detections)\[(?P<index>[0-9]+)\]")
SPAN = re.compile(r"([0-9]{1,9})-([0-9]{1,9})", re.ASCII)


def read_interaction_item(curation: Curation, form: QueryDict) -> ItemProposal:
    """The item with the interaction of a form; a new one gets a new key. CurationError with the field at fault."""
    known = _find_known_item(curation, form.get("key", ""))
    before = read_interaction_content(known.content) if known else Interaction(())
    interaction = _read_given_interaction(form, curation.article.text, before)
    _check_interaction(interaction, curation.article.text)
    return _make_item(curation, known, interaction)


def make_interaction_item(curation: Curation, key: str, interaction: Interaction, path: str) -> ItemProposal:
    """The item of this key with the interaction as it is corrected; a new item if there is none: 4 queries at most.

    CurationError if it states a direction anew that its type does not have. path: of the interaction in the request.
    """
    return _make_item(curation, _find_known_item(curation, key), interaction, path)


def _find_known_item(curation: Curation, key: str) -> DecidedItem | Candidate | None:
    """The item as it was decided last, else as it is proposed, else as it was before that was taken back."""
    decided = curation.items.filter(kind=ItemKind.INTERACTION, key=key).order_by("-pk")
    proposed = Candidate.objects.filter(candidate_list=curation.candidates_id, kind=ItemKind.INTERACTION, key=key)
    return decided.filter(superseded_by__isnull=True).first() or proposed.first() or decided.first()


def _make_item(
    curation: Curation, known: DecidedItem | Candidate | None, interaction: Interaction, path: str = ""
) -> ItemProposal:
    before = read_interaction_content(known.content) if known else Interaction(())
    _check_direction(interaction, before, path)
    if known is None:
        content = build_interaction_content(interaction)
        return ItemProposal(ItemKind.INTERACTION, f"new-{curation.revision + 1}", content)
    # What was taken over still says from where after a correction.
    kept = replace(interaction, sources=before.sources)
    return ItemProposal(ItemKind.INTERACTION, known.key, build_interaction_content(kept), known.producers)


def _check_direction(interaction: Interaction, before: Interaction, path: str) -> None:
    """CurationError for a direction that its type does not have, unless the record states the same already."""
    is_kept = before.directed and before.interaction_type == interaction.interaction_type
    if interaction.directed and not is_kept:
        for fault in find_direction_faults(interaction, find_psi_mi_terms(), path):
            raise CurationError(f"{fault.message} {fault.mend}", fault.where)


def _check_interaction(interaction: Interaction, article_text: str) -> None:
    """CurationError for the first rule that it breaks; what only is missing is no error."""
    for fault in find_interaction_faults(interaction, article_text, find_psi_mi_terms()):
        raise CurationError(f"{fault.message} {fault.mend}", _name_field(fault.where))


def _name_field(path: str) -> str:
    """The field of the form at a path such as "participants[1].entity" or "detections[0].method"."""
    match = INDEXED_PATH.match(path)
    if match is None:
        return path.partition(".")[0]
    number = int(match["index"]) + 1
    if match["list"] == "participants":
        return f"{'organism' if path.endswith('.taxon') else 'participant'}-{number}"
    return f"evidence-{number}" if "evidence" in path else f"method-{number}"


def _read_given_interaction(form: QueryDict, article_text: str, before: Interaction) -> Interaction:
    """The interaction of a form; what is still missing is left empty. before: what the form showed."""
    return Interaction(
        tuple(_iter_given_participants(form, before)),
        form.get("type", "").strip(),
        tuple(_iter_detections(form, article_text, before)),
        bool(form.get("directed")),
        bool(form.get("negative")),
        _read_given_confidence(form.get("confidence", "").strip()),
        _read_text(form.get("comment", ""), LONGEST_COMMENT, "comment"),
    )


def _iter_given_participants(form: QueryDict, before: Interaction) -> Iterator[Participant]:
    taxa = {participant.entity: participant.taxon for participant in before.participants}
    names = form.getlist("name")
    biological, experimental = form.getlist("biological_role"), form.getlist("experimental_role")
    for index, text in enumerate(form.getlist("participant")):
        if not text.strip():
            continue
        entity = read_given_entity(text, field=f"participant-{index + 1}")
        entry = find_named_entries([entity]).get(entity)
        given = _read_text(names[index] if index < len(names) else "", LONGEST_NAME, f"participant-{index + 1}")
        yield Participant(
            entity,
            given or (entry.symbol or entry.name if entry else ""),
            _read_organism_of_participant(form, index + 1, entry, taxa.get(entity)),
            (biological[index] if index < len(biological) else "") or UNSPECIFIED_ROLE,
            (experimental[index] if index < len(experimental) else "") or UNSPECIFIED_ROLE,
        )


def _read_organism_of_participant(
    form: QueryDict, number: int, entry: NamedEntry | None, before: int | None
) -> int | None:
    """The organism of a participant: of its field, else of its entry. before: as it was recorded of this molecule.

    CurationError if the field has another organism than the entry, which was not recorded before.
    """
    field = f"organism-{number}"
    known = entry.taxon if entry else None
    if field not in form:
        return known or before
    given = read_given_organism(form.get(field, ""), field)
    if entry and known and given and given not in (known, before):
        message = f"The entry {entry.identifier} is of the organism {known}. Leave this empty, or choose another entry."
        raise CurationError(message, field)
    return given or known


def _iter_detections(form: QueryDict, article_text: str, before: Interaction) -> Iterator[Detection]:
    for number in range(1, MOST_METHODS + 1):
        method = form.get(f"method-{number}", "").strip()
        figure = _read_text(form.get(f"figure-{number}", ""), LONGEST_FIGURE, f"figure-{number}")
        other_figures = _map_other_figures(before.detections[number - 1 : number])
        passages = tuple(
            _read_selected_passage(span, article_text, other_figures.get(span, figure), f"evidence-{number}")
            for span in dict.fromkeys(form.getlist(f"evidence-{number}"))
            if span
        )
        if method or passages:
            yield Detection(method, passages)


def _map_other_figures(detections: Sequence[Detection]) -> dict[str, str]:
    """{span: figure} of the passages with another figure than the first one, for which alone the form has a field."""
    return {
        format_span(passage.span): passage.figure
        for detection in detections
        for passage in detection.evidence
        if passage.figure != detection.evidence[0].figure
    }


def format_span(span: Span) -> str:
    """The span as the form has it: "20-58"."""
    return f"{span.start}-{span.end}"


def cut_passage(article_text: str, span: str) -> str:
    """The words at a span in the form of format_span; the span itself if it is not in the text."""
    match = SPAN.fullmatch(span)
    return (match and article_text[int(match[1]) : int(match[2])]) or span


def _read_selected_passage(span: str, article_text: str, figure: str, field: str) -> EvidencePassage:
    start, end = read_selected_span(span, article_text, field)
    return EvidencePassage(Span(start, end), article_text[start:end], figure)


def read_selected_span(span: str, article_text: str, field: str) -> Span:
    """The span of a passage in the form of format_span; CurationError if it is not in the text."""
    match = SPAN.fullmatch(span)
    if match is None or not int(match[1]) < int(match[2]) <= len(article_text):
        raise CurationError("The passage is not in the text. Select it in the text again.", field)
    return Span(int(match[1]), int(match[2]))


def _read_given_confidence(text: str) -> float | None:
    if not text:
        return None
    try:
        confidence = float(text)
    except ValueError:
        confidence = 0.0
    if not 0 < confidence <= 1:
        raise CurationError("The confidence is a number above 0 and at most 1, such as 0.8.", "confidence")
    return confidence


def _read_text(text: str, longest: int, field: str) -> str:
    clean = replace_unstorable_characters(join_line_breaks(text)).strip()
    if len(clean) > longest:
        raise CurationError(f"Write at most {longest:,} characters.", field)
    return clean
