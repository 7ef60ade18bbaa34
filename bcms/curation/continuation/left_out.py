"""What of a file is not taken over, in words."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from annotations.digital_abstract import DigitalAbstract

INTERACTIONS, ANNOTATIONS = "interaction", "annotation"


@dataclass(frozen=True, slots=True)
class LeftOutPart:
    """What of a file was not taken over, in words, and why. line: where it is, from 1; 0 for the file as a whole."""

    line: int
    part: str
    reason: str


def count_parts(abstract: DigitalAbstract) -> Counter[str]:
    """How many INTERACTIONS a record has, and how many ANNOTATIONS, its organisms included."""
    return Counter(
        {
            INTERACTIONS: len(abstract.interactions),
            ANNOTATIONS: len(abstract.organisms) + len(abstract.annotations),
        }
    )


def describe_others(others: Mapping[str, Mapping[str, int]]) -> Iterator[LeftOutPart]:
    """What is of other articles, as parts that are left out. others: the numbers of count_parts by article."""
    for name, numbers in others.items():
        if counted := describe_numbers(numbers):
            yield LeftOutPart(0, f"{counted} of {name}", "another article")


def describe_numbers(numbers: Mapping[str, int]) -> str:
    """ "2 interactions and 1 annotation"; "" if there is nothing."""
    counted = [
        f"{number:,} {noun if number == 1 else f'{noun}s'}"
        for noun in (INTERACTIONS, ANNOTATIONS)
        if (number := numbers.get(noun, 0))
    ]
    return " and ".join(counted)
