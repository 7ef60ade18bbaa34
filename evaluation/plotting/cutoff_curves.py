"""F, average precision and FAP at each cut-off of the lists."""

from bcms.lib.svg.axes import Axis, PlotFrame, make_share_axis
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.plot_sheets import PlotPanel
from bcms.lib.svg.series_lines import LineSeries, render_series_line
from evaluation.analyses.cutoff_search import CutoffSearch
from evaluation.plotting.plot_parts import build_drawing, format_figure, render_guide_line

MAX_CUTOFF_ROWS = 200


def build_cutoff_panel(average: str, search: CutoffSearch, beta: float = 1.0) -> PlotPanel:
    """Three lines over all tried cut-offs, with a guide line at the chosen one; a star marks it in the table."""
    tried = search.tried
    names = cutoff_figure_names(beta)
    curves = dict(
        zip(
            names,
            ([cutoff.fap for cutoff in tried], [cutoff.f for cutoff in tried], [cutoff.ap for cutoff in tried]),
            strict=True,
        )
    )
    values = [cutoff.value for cutoff in tried]
    label = "Lists are cut after this rank" if search.criterion == "rank" else "Lists are cut below this confidence"
    x = Axis(label, min(values), max(values) if max(values) > min(values) else min(values) + 1)
    frame = PlotFrame(x, make_share_axis(", ".join(names), [value for figures in curves.values() for value in figures]))
    lines = [
        render_series_line(LineSeries(name, list(zip(values, figures, strict=True))), index, frame)
        for index, (name, figures) in enumerate(curves.items())
    ]
    chosen_line = render_guide_line([(search.value, frame.y.low), (search.value, frame.y.high)], frame)
    return PlotPanel(
        f"{', '.join(names)} of cut lists, {average}",
        f"The best FAP, {search.fap:.5f}, is at the dotted line: {search.criterion} {search.value:g}.",
        build_drawing(frame, chosen_line, *lines),
        build_cutoff_table(search, names),
    )


def cutoff_figure_names(beta: float) -> tuple[str, str, str]:
    return ("FAP" if beta == 1 else f"FAP{beta:g}", f"F{beta:g}", "AP")


def build_cutoff_table(search: CutoffSearch, names: tuple[str, str, str]) -> FigureTable:
    """A row for each line of the plot, then one for each cut-off, thinned to about MAX_CUTOFF_ROWS."""
    step = -(-len(search.tried) // MAX_CUTOFF_ROWS)
    cuts = [cutoff for index, cutoff in enumerate(search.tried) if index % step == 0 or cutoff.value == search.value]
    keys = [FigureRow([name, "", "", "", ""], index) for index, name in enumerate(names)]
    rows = [
        FigureRow(
            [
                f"{cutoff.value:g}",
                *(format_figure(figure, 4) for figure in (cutoff.fap, cutoff.f, cutoff.ap)),
                "*" if cutoff.value == search.value else "",
            ]
        )
        for cutoff in cuts
    ]
    return FigureTable([search.criterion, *names, ""], [*keys, *rows])
