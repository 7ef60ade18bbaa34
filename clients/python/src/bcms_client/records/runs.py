"""Runs of a team, and the files that they come from."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

FINAL_UPLOAD_STATES = ("taken", "refused", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFault:
    """A broken rule in a file; line and column count from 1, or are 0 for the whole file."""

    line: int
    column: int
    rule: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """state taken: `run` is its run; refused: `faults` says why; failed: the server failed; others: not finished."""

    id: int
    team: str
    name: str
    source: str
    size: int
    sha256: str
    state: str
    received: datetime
    run: int | None
    faults: tuple[FileFault, ...]
    warnings: tuple[FileFault, ...]
    message: str = ""
    format: str = ""
    note: str = ""
    finished: datetime | None = None
    final: bool = False
    withdrawn: datetime | None = None
    unknown: int = 0

    @property
    def done(self) -> bool:
        return self.state in FINAL_UPLOAD_STATES


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRun:
    """What a valid file has; unknown: articles that are not in the phase."""

    results: int
    articles: int
    format: str
    note: str
    warnings: tuple[FileFault, ...]
    unknown: int
    unknown_names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRuns:
    """used of `most` runs count; tries: all files, rejected ones too."""

    team: str
    used: int
    most: int
    tries: int
    uploads: tuple[Upload, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """figures by the name of the measure; None where it is undefined."""

    figures: Mapping[str, float | None]
    answered: int
    articles: int
    signature: str
    computed: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDescription:
    """What the team says of a run, each text empty if it says nothing; paper and code are URLs."""

    method_name: str = ""
    abstract: str = ""
    paper: str = ""
    code: str = ""
    environment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """score is None until it is computed and you may see it; upload is None for a run of a server."""

    id: int
    challenge: str
    phase: str
    task: str
    name: str
    sort: str
    unanswered: int
    upload: Upload | None
    score: Score | None
    description: RunDescription
    team: str | None = None
    baseline: bool = False
    final: bool = False
    withdrawn: datetime | None = None
