"""A leaderboard as CSV, LaTeX and JSON, with the figures that its page shows."""

from collections.abc import Sequence
from dataclasses import asdict, astuple
from datetime import datetime
from typing import Any

from bcms.lib.table_text import format_csv
from evaluation.leaderboards.board import Board
from evaluation.leaderboards.rows import ENSEMBLE_SORT, LeaderboardRow, ScoreCell
from evaluation.runs.descriptions.description import DESCRIPTION_FIELDS

FIRST_COLUMNS = ("rank", "rank_to", "run", "team", "sort", "answered", "articles")
LAST_COLUMNS = ("confidence", "gain", "gain_p", "seconds_per_article", "computed", "signature", *DESCRIPTION_FIELDS)
# The number of measures that fit on a page.
MAX_LATEX_MEASURES = 6
LATEX_ESCAPES = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "\n": " ",
        "\r": " ",
    }
)


def _list_rows_with_ensemble(board: Board) -> list[LeaderboardRow]:
    """All rows of the board and, last, the ensemble."""
    return [*board.rows, *([board.ensemble] if board.ensemble else [])]


def format_board_csv(board: Board) -> str:
    """One line per run. Names cannot act as formulas in a spreadsheet; a missing figure is an empty cell."""
    figures = [name for measure in board.columns for name in (measure.name, *_name_interval_columns(measure.name))]
    rows = map(_list_csv_values, _list_rows_with_ensemble(board))
    return format_csv([[*FIRST_COLUMNS, *figures, *LAST_COLUMNS], *rows])


def _name_interval_columns(name: str) -> tuple[str, str]:
    """The columns with the bounds of the interval of a measure."""
    return f"{name}_low", f"{name}_high"


def _list_csv_values(row: LeaderboardRow) -> list[object]:
    """The values of FIRST_COLUMNS, of each measure with its interval, and of LAST_COLUMNS."""
    first = [
        row.first,
        row.last,
        row.name,
        row.team,
        row.sort,
        row.answered,
        row.articles,
    ]
    computed = row.computed.isoformat() if row.computed else ""
    last = [row.confidence, row.gain, row.gain_p, row.seconds, computed, row.signature, *astuple(row.description)]
    figures = [value for cell in row.cells for value in (cell.value, cell.low, cell.high)]
    return ["" if value is None else value for value in [*first, *figures, *last]]


def format_board_latex_of_first_measures(board: Board) -> str:
    """A table for a paper, which needs the package booktabs: ranks, the first measures that are not counts, and the
    interval of the first one. If runs have names of methods, these are a column.
    """
    rows = _list_rows_with_ensemble(board)
    with_methods = any(row.description.method_name for row in rows)
    columns = [index for index, measure in enumerate(board.columns) if not measure.is_count][:MAX_LATEX_MEASURES]
    heads = [_escape_latex(board.columns[index].label) for index in columns]
    names = ["Run", "Team", "Method"] if with_methods else ["Run", "Team"]
    head = ["Rank", "Ranks", *names, heads[0], r"95\,\% interval", *heads[1:]]
    lines = [" & ".join(_format_latex_cells(row, columns, len(names))) + r" \\" for row in rows]
    challenge = _escape_latex(board.phase.challenge.name)
    checksum = board.visible_gold.checksum if board.visible_gold else "none"
    return "\n".join(
        [
            f"% {challenge}, {_escape_latex(board.task.name)}, {board.phase.sort} phase",
            f"% {board.scenario.label}; gold standard sha256 {checksum}",
            r"\begin{tabular}{rr" + "l" * len(names) + "r" * (len(columns) + 1) + "}",
            r"\toprule",
            " & ".join(head) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _format_latex_cells(row: LeaderboardRow, columns: Sequence[int], number_of_names: int) -> list[str]:
    """columns: the indices of the measures in the row. number_of_names: how many of run, team and method are shown."""
    names = [_escape_latex(name) for name in (row.name, row.team, row.description.method_name)][:number_of_names]
    first, *others = (_format_latex_number(row.cells[index].formatted) for index in columns)
    interval = _format_latex_number(row.primary.interval).replace(" to ", "--")
    ranks = row.ranks.replace("-", "--") if row.first else "--"
    return [str(row.first or "--"), ranks, *names, first, interval, *others]


def _format_latex_number(shown: str) -> str:
    """A shown figure with a proper minus sign, or a dash if it is undefined."""
    return "--" if shown == "-" else shown.replace("-", "$-$")


def _escape_latex(text: str) -> str:
    """Escape the special characters of LaTeX."""
    return text.translate(LATEX_ESCAPES)


def build_board_json_data(board: Board) -> dict[str, Any]:
    """The board as JSON data."""
    gold, ranking = board.visible_gold, board.ranking
    return {
        "challenge": board.phase.challenge.slug,
        "phase": board.phase.sort,
        "task": board.task.name,
        "kind": board.task.kind,
        "note": board.task.note,
        "published": find_board_publication_time(board),
        "primary": board.task.primary,
        "ordered_by": board.columns[0].name,
        "scenario": board.chosen.scenario,
        "scenarios": {choice.scenario.name: choice.absent or None for choice in board.choices},
        "gold": {"sha256": gold.checksum, "source": gold.source, "imported": gold.imported} if gold else None,
        "tests": {"samples": ranking.samples, "seed": ranking.seed, "untested": ranking.untested} if ranking else None,
        "version": board.version,
        "runs": [_build_row_data(row) for row in _list_rows_with_ensemble(board)],
    }


def find_board_publication_time(board: Board) -> datetime | None:
    """When the task or its phase was published; None before that."""
    return (board.gold.published if board.gold else None) or board.phase.published


def _build_row_data(row: LeaderboardRow) -> dict[str, Any]:
    scored = row.scored or row.sort == ENSEMBLE_SORT
    return {
        "rank": row.first,
        "rank_to": row.last,
        "run": row.name,
        "team": row.team,
        "server": row.server_slug or None,
        "sort": row.sort,
        **({"description": asdict(row.description)} if row.description else {}),
        "figures": {cell.measure.name: cell.value for cell in row.cells} if scored else None,
        "intervals": {cell.measure.name: _find_cell_interval(cell) for cell in row.cells} if scored else None,
        "gain": row.gain,
        "gain_p": row.gain_p,
        "confidence": row.confidence,
        "curve": row.curve,
        "answered": row.answered,
        "articles": row.articles,
        "seconds_per_article": row.seconds,
        "signature": row.signature,
        "computed": row.computed,
    }


def _find_cell_interval(cell: ScoreCell) -> tuple[float, float] | None:
    return None if cell.low is None or cell.high is None else (cell.low, cell.high)
