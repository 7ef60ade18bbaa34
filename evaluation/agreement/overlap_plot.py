"""The overlap of compared producers as a drawing for pages, with its figures as a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString, mark_safe

from annotations.schema import KIND_LABELS
from bcms.lib.svg.plot_sheets import render_drawing_element
from evaluation.agreement.comparison import ProducerComparison
from evaluation.agreement.comparison_choice import ComparisonChoice
from evaluation.plotting.overlap_sets import build_venn_or_upset_panel


@dataclass(frozen=True, slots=True)
class OverlapPlot:
    """A Venn diagram or UpSet plot, a note for readers, and the table of its figures, as text."""

    svg: SafeString
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def build_overlap_plot(
    choice: ComparisonChoice, comparison: ProducerComparison, type_name: str | None
) -> OverlapPlot | None:
    """None if there is nothing to draw. type_name: the type that is compared, None for all."""
    overlap = comparison.overlap
    if overlap is None or not overlap.regions or choice.kind is None:
        return None
    against = f", compared with {choice.gold.name}" if choice.gold else ""
    what = f"{KIND_LABELS[choice.kind]}: {type_name}" if type_name else KIND_LABELS[choice.kind]
    panel = build_venn_or_upset_panel(comparison.names, overlap, as_narrow_as_possible=True)
    titled_panel = replace(panel, title=f"{what}, {len(comparison.names)} producers{against}")
    # The drawing escapes every text.
    svg = mark_safe(render_drawing_element(titled_panel))
    return OverlapPlot(svg, panel.note, panel.table.head, [row.cells for row in panel.table.rows])
