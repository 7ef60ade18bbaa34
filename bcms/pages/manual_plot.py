"""An example for the manual of what --plot draws."""

from django.utils.safestring import SafeString, mark_safe

from bcms.lib.svg.sheet import Sheet, as_element
from evaluation.measures.ranking import fap
from evaluation.plotting.harmonic_planes import Placed, fap_panel

# (run, F1, AP): invented, and far enough from each other to be told apart.
RUNS = (
    ("Dictionary and rules", 0.46, 0.33),
    ("Dictionary alone", 0.31, 0.38),
    ("Every name found", 0.17, 0.41),
    ("Cautious", 0.29, 0.18),
)


def example_plot() -> SafeString:
    """F1 against average precision of four runs, with their table."""
    runs = [Placed(name, ap, f, fap(f, ap)) for name, f, ap in RUNS]
    # The drawing escapes every text that it is given.
    return mark_safe(as_element(Sheet("Four invented runs", [[fap_panel("macro", runs)]])))
