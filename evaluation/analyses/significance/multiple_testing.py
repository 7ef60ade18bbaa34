"""Correction of p-values for multiple comparisons."""

import numpy as np

from evaluation.measures.columns import Floats


def correct_p_values_by_holm(p: Floats) -> Floats:
    """The p values [tests] corrected for the number of tests, so that the level bounds the error of all together.

    Source: Holm (1979), Scandinavian Journal of Statistics 6: 65-70.
    """
    order = np.argsort(p, kind="stable")
    corrected = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(corrected, 1.0)
    return adjusted
