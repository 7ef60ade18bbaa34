"""Krippendorff's alpha by its definition: the mean distance within units over that between all values."""

from itertools import permutations


def alpha(units, distance):
    """units: the values of each unit; distance of two values."""
    units = [values for values in units if len(values) > 1]
    every = [value for values in units for value in values]
    within = sum(
        sum(distance(one, other) for one, other in permutations(values, 2)) / (len(values) - 1) for values in units
    ) / len(every)
    pairs = list(permutations(every, 2))
    between = sum(distance(one, other) for one, other in pairs) / len(pairs)
    return 1 - within / between
