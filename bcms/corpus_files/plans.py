"""What an organizer confirmed to be set up from a corpus file."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class ChosenTask:
    """A proposed task, by its place among the proposals, and the name and title that it gets."""

    place: int
    name: str
    title: str


@dataclass(frozen=True, slots=True)
class PhasePlan:
    """A phase with its corpus. sort: a Phase.Type; opens: None for now; closes: None for no end.

    share: the percentage of the articles of the file that the corpus gets.
    """

    sort: str
    corpus_name: str
    corpus_slug: str
    opens: datetime | None
    closes: datetime | None
    share: int = 100


@dataclass(frozen=True, slots=True)
class SetUpPlan:
    """seed: what decides which phase gets which article, if there is more than one; None otherwise."""

    phases: Sequence[PhasePlan]
    tasks: Sequence[ChosenTask]
    seed: int | None = None

    def build_json(self) -> dict[str, object]:
        phases = [asdict(phase) | _format_dates(phase) for phase in self.phases]
        return {"phases": phases, "tasks": [asdict(task) for task in self.tasks], "seed": self.seed}


def _format_dates(phase: PhasePlan) -> dict[str, str | None]:
    return {
        "opens": phase.opens.isoformat() if phase.opens else None,
        "closes": phase.closes.isoformat() if phase.closes else None,
    }


def parse_set_up_plan(stored: Mapping[str, Any]) -> SetUpPlan:
    """The plan that build_json wrote."""
    phases = [PhasePlan(**phase | _parse_dates(phase)) for phase in stored["phases"]]
    return SetUpPlan(phases, [ChosenTask(**task) for task in stored["tasks"]], stored["seed"])


def _parse_dates(phase: Mapping[str, Any]) -> dict[str, datetime | None]:
    return {name: phase[name] and datetime.fromisoformat(phase[name]) for name in ("opens", "closes")}
