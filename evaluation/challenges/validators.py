"""Validators of model fields."""

from django.core.exceptions import ValidationError

from evaluation.challenges.caps import CAPPABLE_KINDS, MAX_CAP


def check_caps(caps: object) -> None:
    """ValidationError unless the value has the form {kind of annotation: number}."""
    if not isinstance(caps, dict):
        raise ValidationError('Write caps as numbers by kind, such as {"normalization": 250}.')
    for kind, cap in caps.items():
        if kind not in CAPPABLE_KINDS:
            raise ValidationError(f"There is no cap for {kind}. Choose from {', '.join(CAPPABLE_KINDS)}.")
        if type(cap) is not int or not 1 <= cap <= MAX_CAP:
            raise ValidationError(f"The cap for {kind} must be a number from 1 to {MAX_CAP:,}. Omit it for no cap.")
