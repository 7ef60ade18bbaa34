"""The work of a curator, and structured digital abstracts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class WorklistEntry:
    """A curation in a worklist; seconds: the time spent on it; project: None for an article of one's own choice."""

    id: int
    article: str
    title: str
    state: str
    project: int | None
    changed: datetime
    seconds: float
    nothing_found: bool
    arm: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    article: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Worklist:
    """What to curate, what is done, and articles to curate next; the counts may exceed what the lists show."""

    unfinished: int
    to_curate: tuple[WorklistEntry, ...]
    finished: int
    done: tuple[WorklistEntry, ...]
    suggestions: tuple[Suggestion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curation:
    """revision: the number of the last decision, which finish_curation needs."""

    id: int
    article: str
    text_version: int
    started: datetime
    changed: datetime
    state: str = ""
    revision: int = 0
    continues: str | None = None
    nothing_found: bool = False
    finished: datetime | None = None
    proposed: datetime | None = None
    declined: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurationItem:
    """One proposal or addition with what was decided on it: annotation or interaction as the API describes them."""

    kind: str
    key: str
    annotation: Mapping[str, Any] | None
    interaction: Mapping[str, Any] | None
    producers: tuple[str, ...]
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DigitalAbstract:
    """The record of an article: interactions, NCBI Taxonomy IDs of organisms, annotations, who contributed.

    updated: the date of the last change (ISO 8601), or empty.
    """

    interactions: tuple[Mapping[str, Any], ...]
    organisms: tuple[int, ...]
    annotations: tuple[Mapping[str, Any], ...]
    contributors: tuple[Mapping[str, Any], ...]
    nothing_found: bool
    state: str
    updated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CurationDetail(Curation):
    items: tuple[CurationItem, ...]
    record: DigitalAbstract


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    line: int
    part: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenOver:
    """What of a file was added to a curation, what it had already (known), and what was left out."""

    added: int
    interactions: int
    annotations: int
    known: int
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurationProject:
    id: int
    name: str
    corpus: str
    owner: str
    created: datetime
    help: str = ""
    closed: datetime | None = None
