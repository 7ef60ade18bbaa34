"""The manual's example of a plot made by --plot."""

from django.utils.safestring import SafeString, mark_safe

from bcms.lib.svg.plot_sheets import PlotSheet, render_sheet_element
from evaluation.measures.lists.ranking import fap_score
from evaluation.plotting.harmonic_planes import HarmonicPoint, build_f_against_ap_panel

# (run, F1, AP): invented, and far enough apart to be distinguished.
EXAMPLE_RUNS = (
    ("Dictionary and rules", 0.46, 0.33),
    ("Dictionary alone", 0.31, 0.38),
    ("All names", 0.17, 0.41),
    ("Cautious", 0.29, 0.18),
)


def render_example_f1_and_ap_plot() -> SafeString:
    """F1 against average precision of four runs, with their table."""
    runs = [HarmonicPoint(name, ap, f, fap_score(f, ap)) for name, f, ap in EXAMPLE_RUNS]
    # The drawing escapes every text that it is given.
    return mark_safe(render_sheet_element(PlotSheet("Four invented runs", [[build_f_against_ap_panel("macro", runs)]])))
