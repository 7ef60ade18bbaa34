"""Challenges and their leaderboards."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bcms_client.records.runs import RunDescription


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    name: str
    title: str
    kind: str
    primary: str
    note: str = ""
    further: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """sort is training, development or test, and also its name in URLs; online_runs and offline_runs are limits."""

    sort: str
    corpus: str
    opens: datetime
    online_runs: int = 0
    offline_runs: int = 0
    closes: datetime | None = None
    frozen: datetime | None = None
    published: datetime | None = None
    daily_runs: int | None = None
    may_withdraw: bool = False
    final_first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    slug: str
    name: str
    tasks: tuple[Task, ...]
    phases: tuple[Phase, ...]
    state: str = ""
    description: str = ""
    entrance: str = ""
    approve_teams: bool = False
    terms: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMeasure:
    """A column of a leaderboard; name is its key in the figures of the rows."""

    name: str
    label: str
    title: str
    higher_is_better: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """A run on a leaderboard: runs that a test cannot tell apart share the ranks from first_rank to last_rank."""

    run: int
    name: str
    team: str
    server: str
    sort: str
    first_rank: int | None
    last_rank: int | None
    figures: Mapping[str, float | None]
    intervals: Mapping[str, tuple[float, ...]]
    answered: int
    articles: int
    signature: str
    computed: datetime | None
    description: RunDescription


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    challenge: str
    phase: str
    task: str
    kind: str
    note: str
    published: datetime | None
    primary: str
    scenario: str
    measures: tuple[BoardMeasure, ...]
    rows: tuple[BoardRow, ...]
