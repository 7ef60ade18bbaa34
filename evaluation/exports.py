"""A leaderboard as CSV and as plain data for JSON."""

import csv
from io import StringIO
from typing import Any

from evaluation.leaderboard import Board, Row

FIRST = ("rank", "run", "team", "sort", "answered", "articles")
LAST = ("seconds_per_article", "computed", "signature")
# What makes a spreadsheet take a cell for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_csv(board: Board) -> str:
    """One line per run. Names cannot become formulas in a spreadsheet; a missing figure is an empty cell."""
    text = StringIO()
    writer = csv.writer(text)
    figures = [measure.name for measure in board.columns]
    writer.writerow([*FIRST, *figures, *LAST])
    for row in board.rows:
        writer.writerow(csv_values(row))
    return text.getvalue()


def csv_values(row: Row) -> list[object]:
    rank = "" if row.first is None else row.rank
    first = [rank, harmless(row.name), harmless(row.team), row.sort, row.answered, row.articles]
    last = [row.seconds, row.computed.isoformat() if row.computed else "", row.signature]
    return ["" if value is None else value for value in [*first, *(cell.value for cell in row.cells), *last]]


def harmless(name: str) -> str:
    return f"'{name}" if name.startswith(FORMULA) else name


def as_data(board: Board) -> dict[str, Any]:
    """The board as it goes out as JSON."""
    gold = board.gold
    return {
        "challenge": board.phase.challenge.slug,
        "phase": board.phase.sort,
        "task": board.task.name,
        "kind": board.task.kind,
        "note": board.task.note,
        "published": board.phase.published,
        "primary": board.task.primary,
        "gold": {"sha256": gold.checksum, "source": gold.source, "imported": gold.imported} if gold else None,
        "version": board.version,
        "runs": [row_data(row) for row in board.rows],
    }


def row_data(row: Row) -> dict[str, Any]:
    return {
        "rank": row.first,
        "rank_to": row.last,
        "run": row.name,
        "team": row.team,
        "server": row.server_slug or None,
        "sort": row.sort,
        "figures": {cell.measure.name: cell.value for cell in row.cells} if row.scored else None,
        "curve": row.curve,
        "answered": row.answered,
        "articles": row.articles,
        "seconds_per_article": row.seconds,
        "signature": row.signature,
        "computed": row.computed,
    }
