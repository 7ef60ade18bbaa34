"""The leaderboards in an archive: HTML pages that open from disk, and the same figures as JSON and CSV."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.core.serializers.json import DjangoJSONEncoder
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from evaluation.archives.parts import ArchivePart
from evaluation.archives.pictures import list_archived_markdown_pictures
from evaluation.challenges.models import Challenge
from evaluation.challenges.pictures.models import ChallengePicture
from evaluation.leaderboards.board import (
    Board,
    BoardSelection,
    add_bars_and_rank_starts,
    add_curves_of_chosen_or_best,
    build_board_from_runs,
)
from evaluation.leaderboards.exports import build_board_json_data
from evaluation.leaderboards.mean_ranks.board import (
    MeanRankBoard,
    build_mean_rank_board,
    list_mean_rank_tasks,
)
from evaluation.leaderboards.pairwise import PairwiseMatrix, find_holm_matrix_of_competing_runs
from evaluation.leaderboards.plots import (
    DEFAULT_CURVES,
    CurvePlot,
    render_figure_against_time_element,
    render_precision_recall_plot,
)
from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO
from evaluation.visibility import ANONYMOUS_READER

ARCHIVE_STYLESHEETS = ("site.css", "evaluation.css")


@dataclass(frozen=True, slots=True)
class ArchivedBoard:
    """A leaderboard in one scenario and average. name: used in file names and page anchors."""

    name: str
    board: Board
    matrix: PairwiseMatrix | None
    plot: CurvePlot | None
    time_plot: SafeString | None


def build_public_boards_by_scenario_and_average(part: ArchivePart, now: datetime) -> list[ArchivedBoard]:
    """Build the boards of a part in all its scenarios and averages, the official one first."""
    official = _build_public_board(part, BoardSelection(), now)
    scenarios = [choice.scenario.name for choice in official.choices if not choice.absent] or [OFFICIAL_SCENARIO]
    averages = official.averages or [""]
    selections = [
        BoardSelection(scenario, average if average != averages[0] else "")
        for scenario in scenarios
        for average in averages
    ]
    boards = (
        official if selection == BoardSelection() else _build_public_board(part, selection, now)
        for selection in selections
    )
    return [_build_archived_board(board, first=board is official) for board in boards]


def _build_public_board(part: ArchivePart, selection: BoardSelection, now: datetime) -> Board:
    """Build a board of all runs that are not withdrawn, with the names that are public now."""
    runs = part.phase.runs.filter(task=part.task, withdrawn__isnull=True)
    return build_board_from_runs(part.task, part.phase, runs, ANONYMOUS_READER, selection, now, sees_all_runs=True)


def _build_archived_board(board: Board, *, first: bool) -> ArchivedBoard:
    drawn_board = (
        add_curves_of_chosen_or_best(add_bars_and_rank_starts(board), DEFAULT_CURVES)
        if first
        else add_bars_and_rank_starts(board)
    )
    name = "-".join(filter(None, [board.chosen.scenario, board.chosen.average]))
    return ArchivedBoard(
        name,
        drawn_board,
        find_holm_matrix_of_competing_runs(board),
        *(
            (render_precision_recall_plot(drawn_board), render_figure_against_time_element(board))
            if first
            else (None, None)
        ),
    )


def render_archived_boards_page(
    part: ArchivePart, archived_boards: Sequence[ArchivedBoard], csv_file_names: Sequence[str]
) -> str:
    context = {"part": part, "sections": archived_boards, "files": csv_file_names, "style": _load_archive_css()}
    return render_to_string("evaluation/archives/archive_files/board.html", context)


def build_public_mean_rank_boards(parts: Sequence[ArchivePart], now: datetime) -> list[MeanRankBoard]:
    """The mean ranks of each phase whose organizers chose tasks, with the names that are public now."""
    phases = {part.phase.pk: part.phase for part in parts}.values()
    return [
        build_mean_rank_board(phase, tasks, ANONYMOUS_READER, now)
        for phase in phases
        if (tasks := list_mean_rank_tasks(phase))
    ]


def render_archived_boards_index_page(
    challenge: Challenge,
    parts: Sequence[ArchivePart],
    mean_rank_boards: Sequence[MeanRankBoard],
    pictures: Sequence[ChallengePicture] = (),
) -> str:
    context = {
        "challenge": challenge,
        "pictures": list_archived_markdown_pictures(pictures),
        "parts": parts,
        "mean_rank_boards": mean_rank_boards,
        "style": _load_archive_css(),
    }
    return render_to_string("evaluation/archives/archive_files/index.html", context)


@cache
def _load_archive_css() -> SafeString:
    """The stylesheets of the site without its fonts, which are separate files."""
    paths = [finders.find(name) for name in ARCHIVE_STYLESHEETS]
    lines = [line for path in paths for line in Path(str(path)).read_text("utf-8").splitlines()]
    # These are files of the project, so they are safe.
    return mark_safe("\n".join(line for line in lines if not line.startswith("@font-face")))


def format_boards_and_pair_tests_json(archived_boards: Sequence[ArchivedBoard]) -> str:
    """The boards and their matrices as JSON."""
    documents = {
        section.name: build_board_json_data(section.board) | {"pairs": _list_pair_tests(section.matrix)}
        for section in archived_boards
    }
    return json.dumps(documents, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _list_pair_tests(matrix: PairwiseMatrix | None) -> list[dict[str, Any]] | None:
    """For each pair of runs the difference, its p-value, and the p-value after Holm's correction."""
    return None if matrix is None else list(_iter_pair_tests(matrix))


def _iter_pair_tests(matrix: PairwiseMatrix) -> Iterator[dict[str, Any]]:
    names = [line.row.name for line in matrix.rows]
    for row_number, line in enumerate(matrix.rows):
        for column_number, pair in enumerate(line.pairs):
            if pair is not None and column_number > row_number:
                yield {"a": names[row_number], "b": names[column_number], **asdict(pair)}
