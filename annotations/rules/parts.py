"""The number and the order of the parts of a mention, also as an argument of a relation (R109 and R126)."""

from collections.abc import Sequence

from annotations.schema import Span

# The parts of one mention.
MOST_PARTS = 100


def explain_number_of_parts(spans: Sequence[Span]) -> str:
    """How many parts there are if these are too many; otherwise ""."""
    return f"{len(spans):,} parts" if len(spans) > MOST_PARTS else ""


def find_disordered_part(spans: Sequence[Span]) -> int:
    """The index of the first part that starts before the end of the previous one; 0 if there is none."""
    return next((index for index in range(1, len(spans)) if spans[index].start < spans[index - 1].end), 0)


def explain_disordered_part(spans: Sequence[Span], index: int) -> str:
    """What is wrong with the part at an index that find_disordered_part has returned."""
    (_start, end), (start, _end) = spans[index - 1 : index + 1]
    return f"The part starts at character {start}, and the part before it ends at {end}."
