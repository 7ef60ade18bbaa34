"""Continue a digital abstract from a file: what it has becomes items of a curation, as one decision."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.decisions import MOST_ITEMS_AT_ONCE, DecisionInput, ItemProposal, store_decision
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation
from annotations.curation.projects.experiments import check_not_measured
from annotations.curation.states import CurationState, DecisionAction, ItemKind
from annotations.digital_abstract import Origin, Source
from annotations.formats.digital_abstracts.file_reader import AbstractFile, read_abstract_file
from annotations.formats.errors import FormatError, RefusedFileError
from bcms.curation.continuation.file_items import FileItems, collect_file_items
from bcms.curation.continuation.left_out import (
    ANNOTATIONS,
    INTERACTIONS,
    LeftOutPart,
    describe_numbers,
    describe_others,
)
from bcms.lib.text import replace_unstorable_characters

LARGEST_FILE_MB = 5
LONGEST_BASIS = 100
# What somebody may say a file is from; Origin.REVIEWER is for suggestions on this site.
BASIS_ORIGINS = {
    Origin.SYSTEM: "a database or a program",
    Origin.AUTHOR: "the authors of the article",
    Origin.CURATOR: "another curator",
}

BASIS_ORIGIN_CHOICES = [(origin.value, origin.value) for origin in BASIS_ORIGINS]


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that a curator sends. basis: what it is from, by name; "" for the name of the file."""

    name: str
    content: bytes
    basis: str = ""
    origin: Origin = Origin.SYSTEM


@dataclass(frozen=True, slots=True)
class TakenOver:
    """interactions, annotations: how many were added; known: how many items of the file the curation had already."""

    interactions: int
    annotations: int
    known: int
    left_out: Sequence[LeftOutPart]

    @property
    def added(self) -> int:
        return self.interactions + self.annotations

    @property
    def added_parts(self) -> str:
        """ "2 interactions and 1 annotation"; "" if nothing was added."""
        return describe_numbers({INTERACTIONS: self.interactions, ANNOTATIONS: self.annotations})


def take_over_file(curation: Curation, given: GivenFile, user_id: int | None, now: datetime) -> TakenOver:
    """Add what a file has of the article: interactions, organisms and other annotations.

    user_id: the account that sends it, None for an author without one. What the curation has, whatever was decided on
    it, is not added again. CurationError for the field file or basis if nothing can be taken over.
    """
    if curation.state == CurationState.FINISHED:
        raise CurationError("This curation is finished. Open it again to change it.")
    check_not_measured(curation, "No file can be taken over.")
    found = collect_file_items(_read_file(given), curation.article, _name_basis(given))
    current = curation.items.filter(key__in=[each.key for each in found.items], superseded_by__isnull=True)
    known = set(current.values_list("kind", "key"))
    items = [each for each in found.items if (each.kind, each.key) not in known]
    if not found.items:
        raise CurationError(_explain_nothing(curation, found), "file")
    if len(items) > MOST_ITEMS_AT_ONCE:
        message = f"The file has {len(items):,} annotations of this article; at most {MOST_ITEMS_AT_ONCE:,} are added."
        raise CurationError(message, "file")
    if items:
        _store_items(curation, given, items, user_id, now)
    interactions = sum(each.kind is ItemKind.INTERACTION for each in items)
    left_out = [*found.left_out, *describe_others(found.others)]
    return TakenOver(interactions, len(items) - interactions, len(found.items) - len(items), left_out)


def _read_file(given: GivenFile) -> AbstractFile:
    if not given.content.strip():
        raise CurationError("The file is empty. Choose another one.", "file")
    if len(given.content) > LARGEST_FILE_MB * 1_000_000:
        raise CurationError(f"The file is larger than {LARGEST_FILE_MB} MB. Cut it to this article.", "file")
    try:
        return read_abstract_file(given.content, given.name)
    except RefusedFileError as error:
        raise CurationError(_describe_faults(error.faults), "file") from None


def _describe_faults(faults: Sequence[FormatError]) -> str:
    """The first fault in a sentence with its place, and how many more there are."""
    first = faults[0]
    place = f"Line {first.line}, column {first.column}: " if first.line else ""
    more = f" The file has {len(faults) - 1:,} more faults." if len(faults) > 1 else ""
    return f"{place}{first.message}.{more}"


def _name_basis(given: GivenFile) -> Source:
    name = replace_unstorable_characters(given.basis or given.name).strip()
    if len(name) > LONGEST_BASIS:
        raise CurationError(f"Write at most {LONGEST_BASIS} characters.", "basis")
    return Source(name or "file", given.origin)


def _explain_nothing(curation: Curation, found: FileItems) -> str:
    ident = format_pmid_or_opaque(curation.article)
    if found.left_out:
        first = found.left_out[0]
        place = f"line {first.line}, " if first.line else ""
        return f"Nothing of the file can be taken over: {place}{first.part}: {first.reason}"
    others = ", ".join(list(found.others)[:5])
    noun = f"{INTERACTIONS}s" if any(numbers[INTERACTIONS] for numbers in found.others.values()) else f"{ANNOTATIONS}s"
    elsewhere = f" It has {noun} of {others}." if others else ""
    return f"The file has no {INTERACTIONS} or {ANNOTATIONS} of this article ({ident}).{elsewhere}"


def _store_items(
    curation: Curation, given: GivenFile, items: Sequence[ItemProposal], user_id: int | None, now: datetime
) -> None:
    reason = f"from the file {replace_unstorable_characters(given.name)}"[:500]
    token = str(uuid.uuid4())
    decision = DecisionInput(DecisionAction.ADD, curation.revision, token, user_id, reason, items)
    store_decision(curation.pk, decision, now)
