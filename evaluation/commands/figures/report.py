"""What a command found, as a table to read, as tab-separated values, or as JSON with full double precision."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

from evaluation.commands.figures.scored import Figure, Figures, Intervals, Scored
from evaluation.commands.figures.text import aligned, listed
from evaluation.measures.spans import SpanMatch

FORMATS = ("table", "tsv", "json")
NOT_GIVEN = "n/a"
# What heads the figures of mentions that match in part.
MATCHED: Mapping[SpanMatch, str] = {
    "start": "mentions with the same start",
    "end": "mentions with the same end",
    "either": "mentions with the same start or end",
    "overlap": "mentions that overlap",
}


@dataclass(frozen=True, slots=True)
class Report:
    """One run with its figures."""

    run: str
    task: str
    profile: str
    signature: str
    scored: Scored


def written(reports: Sequence[Report], form: str) -> str:
    """The reports in one of FORMATS, without a line end at the end."""
    if form == "json":
        return json.dumps({"runs": [as_json(report) for report in reports]}, indent=2)
    if form == "tsv":
        return "\n".join(tsv_lines(reports))
    return "\n".join(table_lines(reports))


def as_json(report: Report) -> dict[str, object]:
    """One run as the interface has it."""
    own = report.scored
    values: dict[str, object] = {
        "run": report.run,
        "task": report.task,
        "profile": report.profile,
        "signature": report.signature,
        "documents": own.documents,
        "answered": own.answered,
        "results": own.results,
        "unknown_documents": len(own.unknown_documents),
        "unknown_document_names": list(own.unknown_documents),
        "figures": own.figures,
        "undefined": list(own.undefined),
        "reasons": own.reasons,
        "intervals": bounds(own.intervals),
    }
    values |= {} if own.empty_lists is None else {"empty_lists": own.empty_lists}
    values |= {"organisms": own.organisms} if own.organisms else {}
    if own.organism_intervals:
        values["organism_intervals"] = {organism: bounds(drawn) for organism, drawn in own.organism_intervals.items()}
    return values | ({"spans": own.spans} if own.spans else {})


def bounds(intervals: Intervals) -> dict[str, list[float]]:
    return {name: list(interval) for name, interval in intervals.items()}


def flat(figures: Figures) -> dict[str, Figure]:
    """Figures by one name each: micro_f1."""
    values: dict[str, Figure] = {}
    for name, value in figures.items():
        if isinstance(value, Mapping):
            values |= {f"{name}_{inner}": figure for inner, figure in value.items()}
        else:
            values[name] = value
    return values


def every_figure(own: Scored) -> dict[str, Figure]:
    return flat(own.figures) | flat({str(how): figures for how, figures in own.spans.items()})


def tsv_lines(reports: Sequence[Report]) -> Iterator[str]:
    """A header and one line for each run, and for each organism of it, with figures as precise as they are."""
    of_organisms = any(report.scored.organisms for report in reports)
    head = ["run", *(["organism"] if of_organisms else []), "documents", "answered", "results", "unknown_documents"]
    of_samples = ["intervals"] if any(report.scored.intervals for report in reports) else []
    yield "\t".join([*head, *every_figure(reports[0].scored), "undefined", *of_samples, "signature"])
    for report in reports:
        own = report.scored
        counts = [own.documents, own.answered, own.results, len(own.unknown_documents)]
        last = [",".join(own.undefined), *([in_a_cell(own.intervals)] if of_samples else []), report.signature]
        yield line([report.run, *(["all"] if of_organisms else []), *counts, *every_figure(own).values(), *last])
        for organism, figures in own.organisms.items():
            yield line(
                [
                    report.run,
                    organism,
                    "",
                    "",
                    "",
                    "",
                    *flat(figures).values(),
                    "",
                    *([in_a_cell(own.organism_intervals.get(organism, {}))] if of_samples else []),
                    report.signature,
                ]
            )


def in_a_cell(intervals: Intervals) -> str:
    return ",".join(f"{name}:{low}:{high}" for name, (low, high) in intervals.items())


def line(cells: Sequence[object]) -> str:
    return "\t".join(NOT_GIVEN if cell is None else str(cell) for cell in cells)


def table_lines(reports: Sequence[Report]) -> Iterator[str]:
    """Aligned columns with five decimals, and beneath what there is to say of each run."""
    yield from aligned([["run", "documents", "answered", "results", "unknown"], *map(counts_row, reports)])
    for part, rows in parts(reports).items():
        yield ""
        if part:
            yield part
        yield from aligned(with_figures(rows))
    yield from interval_lines(reports)
    notes = [note for report in reports for note in notes_of(report)]
    if notes:
        yield ""
    yield from notes
    yield ""
    yield from (f"{report.run}: {report.signature}" for report in reports)


def with_figures(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The columns in which any row beneath the header has a figure; what is said beneath tells why others have none."""
    kept = [any(cell != NOT_GIVEN for cell in column[1:]) for column in zip(*rows, strict=True)]
    return [list(compress(row, kept)) for row in rows]


def counts_row(report: Report) -> list[str]:
    own = report.scored
    return [report.run, *map(str, (own.documents, own.answered, own.results, len(own.unknown_documents)))]


def parts(reports: Sequence[Report]) -> dict[str, list[list[str]]]:
    """Rows under a header, of lists in two parts, micro and macro."""
    tables: dict[str, list[list[str]]] = {}
    for report in reports:
        named = {report.run: report.scored.figures}
        named |= {f"{report.run} {organism}": own for organism, own in report.scored.organisms.items()}
        for name, figures in named.items():
            add_rows(tables, name, figures)
        if report.scored.spans:
            add_rows(tables, report.run, {MATCHED[how]: own for how, own in report.scored.spans.items()})
    return tables


def interval_lines(reports: Sequence[Report]) -> Iterator[str]:
    """Each figure's interval in each run that has any, and in each organism of it."""
    named = [
        (name, drawn)
        for report in reports
        for name, drawn in [
            (report.run, report.scored.intervals),
            *((f"{report.run} {organism}", own) for organism, own in report.scored.organism_intervals.items()),
        ]
    ]
    rows = [[run, name, shown(low), shown(high)] for run, drawn in named for name, (low, high) in drawn.items()]
    if rows:
        yield from ["", "95 % intervals", *aligned([["run", "figure", "low", "high"], *rows])]


def add_rows(tables: dict[str, list[list[str]]], name: str, figures: Figures) -> None:
    """One row of these figures in each part, which begins with a header."""
    inner = {part: own for part, own in figures.items() if isinstance(own, Mapping)}
    for part, own in (inner or {"": flat(figures)}).items():
        tables.setdefault(part, [["run", *own]]).append([name, *map(shown, own.values())])


def shown(figure: Figure) -> str:
    if figure is None:
        return NOT_GIVEN
    return str(figure) if isinstance(figure, int) else f"{figure:.5f}"


def notes_of(report: Report) -> Iterator[str]:
    """What the figures alone do not say."""
    own = report.scored
    if own.undefined:
        yield f"{report.run}: 0/0, given as 0: {', '.join(own.undefined)}"
    if own.empty_lists:
        yield f"{report.run}: documents without a result that counts: {own.empty_lists:,}; their precision, 0/0, is 0"
    for reason in dict.fromkeys(own.reasons.values()):
        lacking = ", ".join(name for name, why in own.reasons.items() if why == reason)
        yield f"{report.run}: no {lacking}: {reason}"
    if own.unknown_documents:
        yield f"{report.run}: not in the gold standard: {listed(own.unknown_documents)}"
