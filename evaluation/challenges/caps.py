"""The caps of a phase: the largest number of results for an article in an uploaded run, by kind of annotation.

What servers return in a test has fixed caps for all phases, as in BioCreative II.5
(servers/calls/outcomes/call_end.py).
"""

from collections.abc import Mapping

from annotations.schema import KIND_LABELS, Kind

# An article has a single classification.
CAPPABLE_KINDS = [kind for kind in Kind if kind != Kind.CLASSIFICATION]
MAX_CAP = 1_000_000


def format_caps(cap_by_kind: Mapping[str, int]) -> str:
    """Caps as text, such as "250 genes and proteins, 100 interaction pairs"; empty without a cap."""
    return ", ".join(
        f"{cap_by_kind[kind]:,} {KIND_LABELS[kind].lower()}" for kind in CAPPABLE_KINDS if kind in cap_by_kind
    )
