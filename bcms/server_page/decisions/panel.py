"""What curators decided about the annotations of a server, on its page for its team."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from annotations.curation.states import ItemKind
from bcms.lib.svg.plot_sheets import PlotSheet, render_sheet_element
from evaluation.curation.server_feedback import (
    CuratorVerdict,
    VerdictCounts,
    count_published_verdicts,
    sum_verdicts,
)
from evaluation.plotting.curator_verdicts import build_verdict_panel
from servers.registry.models import Server

KIND_NAMES = {
    ItemKind.ORGANISM: "Organisms",
    ItemKind.ENTITY: "Entities",
    ItemKind.MENTION: "Mentions",
    ItemKind.METHOD: "Methods",
    ItemKind.INTERACTION: "Interactions",
    ItemKind.RELATION: "Relations",
    ItemKind.LABEL: "Labels",
}


@dataclass(frozen=True, slots=True)
class DecisionPanel:
    """svg: the figure, empty if no decision is shown. totals: of all kinds."""

    svg: SafeString
    articles: int
    totals: Mapping[CuratorVerdict, int]


def load_decision_panel(server: Server) -> DecisionPanel:
    """3 queries at most."""
    counts = count_published_verdicts(server)
    return DecisionPanel(_render_figure(server, counts), counts.articles, sum_verdicts(counts.by_kind.values()))


def _render_figure(server: Server, counts: VerdictCounts) -> SafeString:
    if not counts.by_kind:
        return SafeString("")
    by_kind = {
        KIND_NAMES[kind]: [numbers.get(verdict, 0) for verdict in CuratorVerdict]
        for kind, numbers in counts.by_kind.items()
    }
    panel = build_verdict_panel([verdict.value for verdict in CuratorVerdict], by_kind)
    # The SVG code escapes every text.
    return mark_safe(render_sheet_element(PlotSheet(f"Annotations of {server.name}", [[panel]])))
