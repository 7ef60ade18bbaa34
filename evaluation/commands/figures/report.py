"""Scores as a table of text, as tab-separated values, or as JSON with full double precision."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

from evaluation.commands.figures.run_scores import FigureValue, NamedFigures, NamedIntervals, RunScore
from evaluation.commands.figures.text_tables import (
    align_first_column_left_others_right,
    format_name_list_with_rest_count,
)
from evaluation.measures.mentions.spans import SpanMatch

REPORT_FORMATS = ("table", "tsv", "json")
NO_VALUE = "n/a"
SCHEMES_TITLE, TYPES_TITLE = "schemes", "each type"
# Titles of the figures of mentions that match partially.
SPAN_MATCH_TITLES: Mapping[SpanMatch, str] = {
    "start": "mentions with the same start",
    "end": "mentions with the same end",
    "either": "mentions with the same start or end",
    "overlap": "mentions that overlap",
}


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """One run with its figures."""

    run: str
    task: str
    profile: str
    signature: str
    score: RunScore


def format_score_reports(reports: Sequence[ScoreReport], report_format: str) -> str:
    """The reports in one of REPORT_FORMATS, without a final line end."""
    if report_format == "json":
        return json.dumps({"runs": [_build_report_json(report) for report in reports]}, indent=2)
    if report_format == "tsv":
        return "\n".join(_iter_report_tsv_lines(reports))
    return "\n".join(_iter_report_table_lines(reports))


def _build_report_json(report: ScoreReport) -> dict[str, object]:
    """The JSON object of one run."""
    score = report.score
    values: dict[str, object] = {
        "run": report.run,
        "task": report.task,
        "profile": report.profile,
        "signature": report.signature,
        "documents": score.documents,
        "answered": score.answered,
        "results": score.results,
        "unknown_documents": len(score.unknown_documents),
        "unknown_document_names": list(score.unknown_documents),
        "figures": score.figures,
        "undefined": list(score.undefined),
        "reasons": score.reasons,
        "intervals": _list_interval_bounds(score.intervals),
    }
    values |= {} if score.empty_lists is None else {"empty_lists": score.empty_lists}
    values |= {"organisms": score.organisms} if score.organisms else {}
    if score.organism_intervals:
        values["organism_intervals"] = {
            organism: _list_interval_bounds(intervals) for organism, intervals in score.organism_intervals.items()
        }
    parts: dict[str, object] = {"spans": score.spans, "schemes": score.schemes, "types": score.types}
    return values | {name: figures for name, figures in parts.items() if figures}


def _list_interval_bounds(intervals: NamedIntervals) -> dict[str, list[float]]:
    return {name: list(interval) for name, interval in intervals.items()}


def flatten_figures(figures: NamedFigures) -> dict[str, FigureValue]:
    """{flat name, such as micro_f1: value}."""
    values: dict[str, FigureValue] = {}
    for name, value in figures.items():
        if isinstance(value, Mapping):
            values |= {f"{name}_{inner}": figure for inner, figure in value.items()}
        else:
            values[name] = value
    return values


def _flatten_run_figures(score: RunScore) -> dict[str, FigureValue]:
    return (
        flatten_figures(score.figures)
        | flatten_figures({str(how): figures for how, figures in score.spans.items()})
        | flatten_figures({str(scheme): figures for scheme, figures in score.schemes.items()})
        | flatten_figures({f"type_{name}": figures for name, figures in score.types.items()})
    )


def _iter_report_tsv_lines(reports: Sequence[ScoreReport]) -> Iterator[str]:
    """A header, then one line for each run and each of its organisms, with full precision."""
    has_organisms = any(report.score.organisms for report in reports)
    head = ["run", *(["organism"] if has_organisms else []), "documents", "answered", "results", "unknown_documents"]
    interval_head = ["intervals"] if any(report.score.intervals for report in reports) else []
    yield "\t".join([*head, *_flatten_run_figures(reports[0].score), "undefined", *interval_head, "signature"])
    for report in reports:
        score = report.score
        counts = [score.documents, score.answered, score.results, len(score.unknown_documents)]
        last = [
            ",".join(score.undefined),
            *([_format_intervals_cell(score.intervals)] if interval_head else []),
            report.signature,
        ]
        yield _format_tsv_line(
            [report.run, *(["all"] if has_organisms else []), *counts, *_flatten_run_figures(score).values(), *last]
        )
        for organism, figures in score.organisms.items():
            organism_figures = flatten_figures(figures)
            yield _format_tsv_line(
                [
                    report.run,
                    organism,
                    "",
                    "",
                    "",
                    "",
                    *(organism_figures.get(name) for name in _flatten_run_figures(score)),
                    "",
                    *([_format_intervals_cell(score.organism_intervals.get(organism, {}))] if interval_head else []),
                    report.signature,
                ]
            )


def _format_intervals_cell(intervals: NamedIntervals) -> str:
    return ",".join(f"{name}:{low}:{high}" for name, (low, high) in intervals.items())


def _format_tsv_line(cells: Sequence[object]) -> str:
    return "\t".join(NO_VALUE if cell is None else str(cell) for cell in cells)


def _iter_report_table_lines(reports: Sequence[ScoreReport]) -> Iterator[str]:
    """Aligned columns with five decimals, followed by notes and the signature of each run."""
    yield from align_first_column_left_others_right(
        [["run", "documents", "answered", "results", "unknown"], *map(_format_document_counts_row, reports)]
    )
    for part, rows in _group_rows_by_average(reports).items():
        yield ""
        if part:
            yield part
        yield from align_first_column_left_others_right(_drop_empty_columns(rows))
    yield from _iter_interval_lines(reports)
    notes = [note for report in reports for note in _iter_report_notes(report)]
    if notes:
        yield ""
    yield from notes
    yield ""
    yield from (f"{report.run}: {report.signature}" for report in reports)


def _drop_empty_columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Only the columns in which a row below the header has a value; notes give the reasons for the others."""
    kept = [any(cell != NO_VALUE for cell in column[1:]) for column in zip(*rows, strict=True)]
    return [list(compress(row, kept)) for row in rows]


def _format_document_counts_row(report: ScoreReport) -> list[str]:
    score = report.score
    return [report.run, *map(str, (score.documents, score.answered, score.results, len(score.unknown_documents)))]


def _group_rows_by_average(reports: Sequence[ScoreReport]) -> dict[str, list[list[str]]]:
    """{title: header and rows}; lists have two tables, micro and macro, others one without a title."""
    tables: dict[str, list[list[str]]] = {}
    for report in reports:
        figures_by_row = {report.run: report.score.figures}
        figures_by_row |= {f"{report.run} {organism}": figures for organism, figures in report.score.organisms.items()}
        for name, figures in figures_by_row.items():
            _add_figure_rows(tables, name, figures)
        if report.score.spans:
            _add_figure_rows(
                tables, report.run, {SPAN_MATCH_TITLES[how]: figures for how, figures in report.score.spans.items()}
            )
        for scheme, figures in report.score.schemes.items():
            _add_figure_rows(tables, f"{report.run} {scheme}", {SCHEMES_TITLE: figures})
        for name, figures in report.score.types.items():
            _add_figure_rows(tables, f"{report.run} {name}", {TYPES_TITLE: figures})
    return tables


def _iter_interval_lines(reports: Sequence[ScoreReport]) -> Iterator[str]:
    """A table of the intervals of all runs and their organisms, if there are any."""
    intervals_by_row = [
        (name, intervals)
        for report in reports
        for name, intervals in [
            (report.run, report.score.intervals),
            *(
                (f"{report.run} {organism}", intervals)
                for organism, intervals in report.score.organism_intervals.items()
            ),
        ]
    ]
    rows = [
        [run, name, format_figure_or_na(low), format_figure_or_na(high)]
        for run, intervals in intervals_by_row
        for name, (low, high) in intervals.items()
    ]
    if rows:
        yield from [
            "",
            "95 % intervals",
            *align_first_column_left_others_right([["run", "figure", "low", "high"], *rows]),
        ]


def _add_figure_rows(tables: dict[str, list[list[str]]], name: str, figures: NamedFigures) -> None:
    """Add a row of these figures to each table, with a header if the table is new."""
    averages = {title: values for title, values in figures.items() if isinstance(values, Mapping)}
    for title, values in (averages or {"": flatten_figures(figures)}).items():
        tables.setdefault(title, [["run", *values]]).append([name, *map(format_figure_or_na, values.values())])


def format_figure_or_na(figure: FigureValue) -> str:
    if figure is None:
        return NO_VALUE
    return str(figure) if isinstance(figure, int) else f"{figure:.5f}"


def _iter_report_notes(report: ScoreReport) -> Iterator[str]:
    """Notes on undefined and missing figures, empty lists and unknown documents."""
    score = report.score
    if score.undefined:
        yield f"{report.run}: 0/0, given as 0: {', '.join(score.undefined)}"
    if score.empty_lists:
        yield f"{report.run}: documents without a counted result: {score.empty_lists:,}; their precision, 0/0, is 0"
    for reason in dict.fromkeys(score.reasons.values()):
        missing = ", ".join(name for name, other_reason in score.reasons.items() if other_reason == reason)
        yield f"{report.run}: no {missing}: {reason}"
    if score.unknown_documents:
        yield f"{report.run}: not in the gold standard: {format_name_list_with_rest_count(score.unknown_documents)}"
