"""A leaderboard as CSV, as LaTeX and as plain data for JSON: the figures that the page shows."""

import csv
from collections.abc import Sequence
from datetime import datetime
from io import StringIO
from typing import Any

from evaluation.board_rows import ENSEMBLE, Cell, Row
from evaluation.leaderboard import Board

FIRST = ("rank", "rank_to", "run", "team", "sort", "answered", "articles")
LAST = ("confidence", "gain", "gain_p", "seconds_per_article", "computed", "signature")
# What makes a spreadsheet take a cell for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
# So many measures fit on a page, each with its interval.
MOST_COLUMNS = 6
LATEX = str.maketrans(
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


def rows_of(board: Board) -> list[Row]:
    """All rows, the ensemble last."""
    return [*board.rows, *([board.ensemble] if board.ensemble else [])]


def as_csv(board: Board) -> str:
    """One line per run. Names cannot become formulas in a spreadsheet; a missing figure is an empty cell."""
    text = StringIO()
    writer = csv.writer(text)
    figures = [name for measure in board.columns for name in (measure.name, *bounds(measure.name))]
    writer.writerow([*FIRST, *figures, *LAST])
    for row in rows_of(board):
        writer.writerow(csv_values(row))
    return text.getvalue()


def bounds(name: str) -> tuple[str, str]:
    return f"{name}_low", f"{name}_high"


def csv_values(row: Row) -> list[object]:
    first = [row.first, row.last, harmless(row.name), harmless(row.team), row.sort, row.answered, row.articles]
    computed = row.computed.isoformat() if row.computed else ""
    last = [row.confidence, row.gain, row.gain_p, row.seconds, computed, row.signature]
    figures = [value for cell in row.cells for value in (cell.value, cell.low, cell.high)]
    return ["" if value is None else value for value in [*first, *figures, *last]]


def harmless(name: str) -> str:
    return f"'{name}" if name.startswith(FORMULA) else name


def as_latex(board: Board) -> str:
    """A table for a paper, of the packages booktabs alone: ranks, the first measures but counts, the interval of the
    leading."""
    columns = [place for place, measure in enumerate(board.columns) if not measure.counted][:MOST_COLUMNS]
    heads = [plain(board.columns[place].label) for place in columns]
    head = ["Rank", "Ranks", "Run", "Team", heads[0], r"95\,\% interval", *heads[1:]]
    lines = [" & ".join(latex_cells(row, columns)) + r" \\" for row in rows_of(board)]
    return "\n".join(
        [
            f"% {plain(board.phase.challenge.name)}, {plain(board.task.name)}, {board.phase.sort} phase",
            f"% {board.scenario.label}; gold standard sha256 {board.told_gold.checksum if board.told_gold else 'none'}",
            r"\begin{tabular}{rrll" + "r" * (len(columns) + 1) + "}",
            r"\toprule",
            " & ".join(head) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def latex_cells(row: Row, columns: Sequence[int]) -> list[str]:
    first, *others = (latex_figures(row.cells[place].shown) for place in columns)
    interval = latex_figures(row.primary.interval).replace(" to ", "--")
    ranks = row.ranks.replace("-", "--") if row.first else "--"
    return [str(row.first or "--"), ranks, plain(row.name), plain(row.team), first, interval, *others]


def latex_figures(shown: str) -> str:
    """With a minus before what is below zero, and a dash for what is not defined."""
    return "--" if shown == "-" else shown.replace("-", "$-$")


def plain(text: str) -> str:
    """Text in which nothing is a command of LaTeX."""
    return text.translate(LATEX)


def as_data(board: Board) -> dict[str, Any]:
    """The board as it goes out as JSON."""
    gold, ranking = board.told_gold, board.ranking
    return {
        "challenge": board.phase.challenge.slug,
        "phase": board.phase.sort,
        "task": board.task.name,
        "kind": board.task.kind,
        "note": board.task.note,
        "published": published_at(board),
        "primary": board.task.primary,
        "ordered_by": board.columns[0].name,
        "scenario": board.chosen.scenario,
        "scenarios": {own.scenario.name: own.absent or None for own in board.choices},
        "gold": {"sha256": gold.checksum, "source": gold.source, "imported": gold.imported} if gold else None,
        "tests": {"samples": ranking.samples, "seed": ranking.seed, "untested": ranking.untested} if ranking else None,
        "version": board.version,
        "runs": [row_data(row) for row in rows_of(board)],
    }


def published_at(board: Board) -> datetime | None:
    """When everybody came to see the board: with its phase, or before it alone."""
    return (board.gold.published if board.gold else None) or board.phase.published


def row_data(row: Row) -> dict[str, Any]:
    scored = row.scored or row.sort == ENSEMBLE
    return {
        "rank": row.first,
        "rank_to": row.last,
        "run": row.name,
        "team": row.team,
        "server": row.server_slug or None,
        "sort": row.sort,
        "figures": {cell.measure.name: cell.value for cell in row.cells} if scored else None,
        "intervals": {cell.measure.name: interval(cell) for cell in row.cells} if scored else None,
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


def interval(cell: Cell) -> tuple[float, float] | None:
    return None if cell.low is None or cell.high is None else (cell.low, cell.high)
