"""A typing error: one letter too many, too few or wrong, or two adjacent letters swapped.

They make up four of five misspellings (Damerau 1964).
"""

from string import ascii_lowercase, digits

# What may be missing, or in place of a wrong letter.
LETTERS = ascii_lowercase + digits


def differ_by_one_error(one: str, other: str) -> bool:
    """Whether two texts differ, and by no more than one letter or two adjacent letters that are swapped."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = next((index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return True
    rest, other_rest = one[start:], other[start:]
    is_swapped = rest[:2] == other_rest[1::-1] and rest[2:] == other_rest[2:]
    return is_swapped or any(rest[a:] == other_rest[b:] for a, b in ((1, 0), (0, 1), (1, 1)))
