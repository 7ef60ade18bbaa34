"""The overlap of producers: a Venn diagram for two or three of them, an UpSet plot for more."""

from collections.abc import Sequence

from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.plot_sheets import NARROW, WIDE, PlotDrawing, PlotPanel
from bcms.lib.svg.set_regions import SetRegion
from bcms.lib.svg.upset import compute_upset_height, count_narrow_upset_columns, render_upset_plot
from bcms.lib.svg.venn import VENN_HEIGHT, render_venn_of_two_or_three_sets
from evaluation.analyses.overlap import Overlap, OverlapRegion
from evaluation.plotting.plot_parts import NO_FIGURE, format_figure_or_dash

MAX_UPSET_COLUMNS = 30
MAX_OVERLAP_ROWS = 200


def build_venn_or_upset_panel(
    producer_names: Sequence[str], overlap: Overlap, *, as_narrow_as_possible: bool = False
) -> PlotPanel:
    """The diagram for this number of producers. ValueError when none of them reports anything.

    as_narrow_as_possible: whether an UpSet plot of few parts is NARROW; otherwise each one is WIDE.
    """
    totals = [overlap.intersect_producers([index]) for index in range(len(producer_names))]
    regions = [_convert_overlap_region(region) for region in overlap.regions]
    if not regions:
        raise ValueError("There is nothing to draw: no producer reports anything that counts. Choose other runs.")
    table = _build_overlap_table(producer_names, totals, overlap)
    if len(producer_names) in VENN_HEIGHT:
        drawn = "".join(render_venn_of_two_or_three_sets(producer_names, [total.items for total in totals], regions))
        note = "Circles have equal size; the numbers are the results in each part."
        return PlotPanel(
            "Overlap of producers", note, PlotDrawing(drawn, VENN_HEIGHT[len(producer_names)], NARROW), table
        )
    drawn_regions = regions[:MAX_UPSET_COLUMNS]
    width = NARROW if as_narrow_as_possible and len(drawn_regions) <= count_narrow_upset_columns(NARROW) else WIDE
    drawn = "".join(
        render_upset_plot(producer_names, [_convert_overlap_region(total) for total in totals], drawn_regions, width)
    )
    return PlotPanel(
        "Overlap of producers",
        _describe_upset_plot(overlap),
        PlotDrawing(drawn, compute_upset_height(len(producer_names)), width),
        table,
    )


def _convert_overlap_region(region: OverlapRegion) -> SetRegion:
    return SetRegion(region.producers, region.items, region.right)


def _describe_upset_plot(overlap: Overlap) -> str:
    """A note on the bars, and on how many regions are not drawn."""
    more = len(overlap.regions) - MAX_UPSET_COLUMNS
    return (
        "Each column counts the results that exactly the producers with a large dot report; the bars at the left count "
        "all results of each producer."
        + ("" if overlap.missed is None else " Solid: right; hatched: wrong.")
        + (f" {more:,} smaller parts are not drawn." if more > 0 else "")
    )


def _build_overlap_table(names: Sequence[str], totals: Sequence[OverlapRegion], overlap: Overlap) -> FigureTable:
    """A row for each producer, then one for each region; the smallest beyond MAX_OVERLAP_ROWS share one row."""
    has_gold = overlap.missed is not None
    head = ["reported by", "results", *(["right", "precision"] if has_gold else [])]
    rows = [FigureRow([f"all of {names[total.producers[0]]}", *_format_region_figures(total)]) for total in totals]
    for region in overlap.regions[:MAX_OVERLAP_ROWS]:
        rows.append(
            FigureRow(
                ["only " + " & ".join(names[index] for index in region.producers), *_format_region_figures(region)]
            )
        )
    rest = overlap.regions[MAX_OVERLAP_ROWS:]
    if rest:
        right_count = sum(region.right or 0 for region in rest) if has_gold else None
        rows.append(
            FigureRow(
                [
                    f"{len(rest):,} smaller parts",
                    *_format_region_figures(OverlapRegion((), sum(region.items for region in rest), right_count)),
                ]
            )
        )
    if overlap.missed is not None:
        rows.append(FigureRow(["nobody", NO_FIGURE, f"{overlap.missed:,}", NO_FIGURE]))
    return FigureTable(head, rows)


def _format_region_figures(region: OverlapRegion) -> list[str]:
    if region.right is None:
        return [f"{region.items:,}"]
    precision = region.right / region.items if region.items else None
    return [f"{region.items:,}", f"{region.right:,}", format_figure_or_dash(precision, 3)]
