"""Read an interaction from the form of the workspace.

Parallel lists describe the participants (participant, name, biological_role, experimental_role); method-1, evidence-1
(spans as "20-58", several times) and figure-1 the first detection, and so on. Rows without an identifier are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from django.http import QueryDict

from annotations.curation.contents import build_interaction_content, read_interaction_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.errors import CurationError
from annotations.curation.models import Candidate, Curation
from annotations.curation.states import ItemKind
from annotations.digital_abstract import (
    UNSPECIFIED_ROLE,
    Detection,
    EvidencePassage,
    Interaction,
    Participant,
)
from annotations.identifiers.queries import find_named_entries, find_psi_mi_terms
from annotations.rules.digital_abstracts import find_interaction_faults
from annotations.schema import Span
from bcms.curation.given_entities import read_given_entity
from bcms.lib.text import replace_unstorable_characters

MOST_DETECTIONS = 16
LONGEST_COMMENT, LONGEST_FIGURE, LONGEST_NAME = 2000, 100, 200
INDEXED_PATH = re.compile(r"(?P<list>participants|detections)\[(?P<index>[0-9]+)\]")
SPAN = re.compile(r"([0-9]{1,9})-([0-9]{1,9})", re.ASCII)


def read_interaction_item(curation: Curation, form: QueryDict) -> ItemProposal:
    """The item with the interaction of a form; a new one gets a new key. CurationError with the field at fault."""
    interaction = read_given_interaction(form, curation.article.text)
    _check_interaction(interaction, curation.article.text)
    return make_interaction_item(curation, form.get("key", ""), interaction)


def make_interaction_item(curation: Curation, key: str, interaction: Interaction) -> ItemProposal:
    """The item of this key with the interaction as it is corrected; a new item if there is none: 2 queries at most."""
    known = (
        Candidate.objects.filter(candidate_list=curation.candidates_id, kind=ItemKind.INTERACTION, key=key).first()
        or curation.items.filter(kind=ItemKind.INTERACTION, key=key).order_by("-pk").first()
    )
    if known is None:
        content = build_interaction_content(interaction)
        return ItemProposal(ItemKind.INTERACTION, f"new-{curation.revision + 1}", content)
    # What was taken over from a file still says so after a correction.
    kept = replace(interaction, sources=read_interaction_content(known.content).sources)
    return ItemProposal(ItemKind.INTERACTION, key, build_interaction_content(kept), known.producers)


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
        return f"participant-{number}"
    return f"evidence-{number}" if "evidence" in path else f"method-{number}"


def read_given_interaction(form: QueryDict, article_text: str) -> Interaction:
    """The interaction of a form; what is still missing is left empty."""
    return Interaction(
        tuple(_iter_given_participants(form)),
        form.get("type", "").strip(),
        tuple(_iter_detections(form, article_text)),
        bool(form.get("directed")),
        bool(form.get("negative")),
        _read_given_confidence(form.get("confidence", "").strip()),
        _read_text(form.get("comment", ""), LONGEST_COMMENT, "comment"),
    )


def _iter_given_participants(form: QueryDict) -> Iterator[Participant]:
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
            entry.taxon if entry else None,
            (biological[index] if index < len(biological) else "") or UNSPECIFIED_ROLE,
            (experimental[index] if index < len(experimental) else "") or UNSPECIFIED_ROLE,
        )


def _iter_detections(form: QueryDict, article_text: str) -> Iterator[Detection]:
    for number in range(1, MOST_DETECTIONS + 1):
        method = form.get(f"method-{number}", "").strip()
        figure = _read_text(form.get(f"figure-{number}", ""), LONGEST_FIGURE, f"figure-{number}")
        passages = tuple(
            _read_selected_passage(span, article_text, figure, f"evidence-{number}")
            for span in dict.fromkeys(form.getlist(f"evidence-{number}"))
            if span
        )
        if method or passages:
            yield Detection(method, passages)


def _read_selected_passage(span: str, article_text: str, figure: str, field: str) -> EvidencePassage:
    match = SPAN.fullmatch(span)
    if match is None or not int(match[1]) < int(match[2]) <= len(article_text):
        raise CurationError("The passage is not in the text. Select it in the text again.", field)
    start, end = int(match[1]), int(match[2])
    return EvidencePassage(Span(start, end), article_text[start:end], figure)


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
    clean = replace_unstorable_characters(text).strip()
    if len(clean) > longest:
        raise CurationError(f"Write at most {longest:,} characters.", field)
    return clean
