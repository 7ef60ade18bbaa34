"""F, average precision and FAP at each cut-off of the lists."""

from bcms.lib.svg.axes import Axis, PlotFrame, build_tight_axis_for_shares
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.plot_sheets import PlotPanel
from bcms.lib.svg.series_lines import LineSeries, render_series_line_with_few_marks
from evaluation.analyses.cutoff_search import CutoffSearch
from evaluation.plotting.plot_parts import (
    build_drawing_over_axes_grid,
    format_figure_or_dash,
    render_guide_line_inside_frame,
)

MAX_CUTOFF_ROWS = 200


def build_f_ap_fap_by_cutoff_panel(average_name: str, search: CutoffSearch, label_beta: float = 1.0) -> PlotPanel:
    """Three lines over all tried cut-offs, with a guide line at the chosen one; a star marks it in the table."""
    tried = search.tried
    names = _cutoff_figure_names(label_beta)
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
    frame = PlotFrame(
        x, build_tight_axis_for_shares(", ".join(names), [value for figures in curves.values() for value in figures])
    )
    lines = [
        render_series_line_with_few_marks(LineSeries(name, list(zip(values, figures, strict=True))), index, frame)
        for index, (name, figures) in enumerate(curves.items())
    ]
    chosen_line = render_guide_line_inside_frame([(search.value, frame.y.low), (search.value, frame.y.high)], frame)
    return PlotPanel(
        f"{', '.join(names)} of cut lists, {average_name}",
        f"The best FAP, {search.fap:.5f}, is at the dotted line: {search.criterion} {search.value:g}.",
        build_drawing_over_axes_grid(frame, chosen_line, *lines),
        _build_cutoff_table(search, names),
    )


def _cutoff_figure_names(beta: float) -> tuple[str, str, str]:
    return ("FAP" if beta == 1 else f"FAP{beta:g}", f"F{beta:g}", "AP")


def _build_cutoff_table(search: CutoffSearch, names: tuple[str, str, str]) -> FigureTable:
    """A row for each line of the plot, then one for each cut-off, thinned to about MAX_CUTOFF_ROWS."""
    step = -(-len(search.tried) // MAX_CUTOFF_ROWS)
    cuts = [cutoff for index, cutoff in enumerate(search.tried) if index % step == 0 or cutoff.value == search.value]
    keys = [FigureRow([name, "", "", "", ""], index) for index, name in enumerate(names)]
    rows = [
        FigureRow(
            [
                f"{cutoff.value:g}",
                *(format_figure_or_dash(figure, 4) for figure in (cutoff.fap, cutoff.f, cutoff.ap)),
                "*" if cutoff.value == search.value else "",
            ]
        )
        for cutoff in cuts
    ]
    return FigureTable([search.criterion, *names, ""], [*keys, *rows])
