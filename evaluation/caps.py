"""The caps of a phase: how many results of an article an uploaded run may have, of each kind.

What servers answer in a test is capped alike for all phases, as in BioCreative II.5 (servers/settling.py).
"""

from collections.abc import Mapping

from django.core.exceptions import ValidationError

from annotations.kinds import LABELS, Kind

# Of a classification an article has one result.
CAPPED = [kind for kind in Kind if kind != Kind.CLASSIFICATION]
LARGEST = 1_000_000


def check_caps(caps: object) -> None:
    """ValidationError for what is no {kind: number}."""
    if not isinstance(caps, dict):
        raise ValidationError('Caps are numbers by kind; write them as {"normalization": 250}.')
    for kind, most in caps.items():
        if kind not in CAPPED:
            raise ValidationError(f"There is no cap of {kind}; choose from {', '.join(CAPPED)}.")
        if type(most) is not int or not 1 <= most <= LARGEST:
            raise ValidationError(f"The cap of {kind} is no number from 1 to {LARGEST:,}; give one, or leave it out.")


def in_words(caps: Mapping[str, int]) -> str:
    """Such as "250 genes and proteins, 100 interaction pairs"; empty without a cap."""
    return ", ".join(f"{caps[kind]:,} {LABELS[kind].lower()}" for kind in CAPPED if kind in caps)
