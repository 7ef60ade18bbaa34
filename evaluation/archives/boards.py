"""Leaderboards as they are in an archive: pages that open from a disk, and the same figures as JSON and CSV."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles import finders
from django.core.serializers.json import DjangoJSONEncoder
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from evaluation.archives.parts import Part
from evaluation.board_pages import with_looks
from evaluation.exports import as_data
from evaluation.leaderboard import Board, Chosen, board_of, with_curves
from evaluation.measures.board_scenarios import OFFICIAL
from evaluation.models import Challenge
from evaluation.pairs import Matrix, matrix_of
from evaluation.plots import FIRST_LINES, Plot, plot_of, time_plot

STYLES = ("site.css", "evaluation.css")


@dataclass(frozen=True, slots=True)
class Section:
    """A board in one scenario, by one average; named so that files and places on a page can be."""

    name: str
    board: Board
    matrix: Matrix | None
    plot: Plot | None
    time_plot: SafeString | None


def sections_of(part: Part, now: datetime) -> list[Section]:
    """The board of a part in every scenario and average that it has, the official one first."""
    official = board_for(part, Chosen(), now)
    scenarios = [choice.scenario.name for choice in official.choices if not choice.absent] or [OFFICIAL]
    ways = official.averages or [""]
    every = [Chosen(scenario, way if way != ways[0] else "") for scenario in scenarios for way in ways]
    boards = (official if chosen == Chosen() else board_for(part, chosen, now) for chosen in every)
    return [section_of(board, first=board is official) for board in boards]


def board_for(part: Part, chosen: Chosen, now: datetime) -> Board:
    """All runs, under the names under which everybody sees them now."""
    runs = part.phase.runs.filter(task=part.task, withdrawn__isnull=True)
    return board_of(part.task, part.phase, runs, AnonymousUser(), chosen, now, organizer=True)


def section_of(board: Board, *, first: bool) -> Section:
    shown = with_curves(with_looks(board), FIRST_LINES) if first else with_looks(board)
    name = "-".join(filter(None, [board.chosen.scenario, board.chosen.average]))
    return Section(name, shown, matrix_of(board), *((plot_of(shown), time_plot(board)) if first else (None, None)))


def page_of(part: Part, sections: Sequence[Section], files: Sequence[str]) -> str:
    context = {"part": part, "sections": sections, "files": files, "style": style()}
    return render_to_string("evaluation/archive/board.html", context)


def index_of(challenge: Challenge, parts: Sequence[Part]) -> str:
    context = {"challenge": challenge, "parts": parts, "style": style()}
    return render_to_string("evaluation/archive/index.html", context)


@cache
def style() -> SafeString:
    """The looks of the site but for its typefaces, which are files of their own."""
    found = [finders.find(name) for name in STYLES]
    lines = [line for path in found for line in Path(str(path)).read_text("utf-8").splitlines()]
    # The project's own files, which no visitor can change.
    return mark_safe("\n".join(line for line in lines if not line.startswith("@font-face")))


def data_of(sections: Sequence[Section]) -> str:
    """The boards and their matrices as JSON."""
    every = {own.name: as_data(own.board) | {"pairs": pairs_data(own.matrix)} for own in sections}
    return json.dumps(every, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def pairs_data(matrix: Matrix | None) -> list[dict[str, Any]] | None:
    """Of every two runs the difference, its p, and that after the correction of Holm."""
    return None if matrix is None else list(pairs_in(matrix))


def pairs_in(matrix: Matrix) -> Iterator[dict[str, Any]]:
    names = [line.row.name for line in matrix.rows]
    for place, line in enumerate(matrix.rows):
        for other, pair in enumerate(line.pairs):
            if pair is not None and other > place:
                yield {"a": names[place], "b": names[other], **asdict(pair)}
