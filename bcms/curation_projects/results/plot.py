"""The plot of the scores of authors, curators and systems."""

from django.utils.safestring import SafeString, mark_safe

from bcms.curation_projects.results.queries import KindScores, ProjectResults, ScoredUnit
from bcms.lib.svg.plot_sheets import PlotPanel, PlotSheet, render_sheet_element
from evaluation.plotting.producer_bars import NamedScore, build_producer_panel


def render_scores_plot(title: str, results: ProjectResults) -> SafeString:
    """Groups of people and systems, a panel for each kind; empty without a score."""
    panels = [_build_panel(scores, results.reference.label) for scores in results.scores if scores.producers]
    if not panels:
        return SafeString("")
    # The drawing escapes every text.
    return mark_safe(render_sheet_element(PlotSheet(title, [[panel] for panel in panels])))


def _build_panel(scores: KindScores, reference_label: str) -> PlotPanel:
    drawn = [each for each in scores.producers if each.unit is not ScoredUnit.PERSON]
    return build_producer_panel(scores.label, reference_label, [NamedScore(each.name, each.score) for each in drawn])
