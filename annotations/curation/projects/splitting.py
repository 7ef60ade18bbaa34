"""Split articles among curators, some of them to two: balanced, and the same for the same seed. Pure."""

from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from random import Random


def split_articles(
    articles: Sequence[int], curators: Sequence[int], overlap: float, seed: int
) -> dict[int, tuple[int, ...]]:
    """{article: its one or two curators}, in the order of the articles.

    overlap: the percentage of the articles that two curators get, in [0, 100], rounded to whole articles. The numbers
    of articles of any two curators, and of articles that any two pairs of curators share, differ by one at most.
    ValueError without curators, for an overlap outside of its range, and for one above 0 with a single curator.
    """
    if not 0 <= overlap <= 100:
        raise ValueError("The overlap is a percentage, from 0 to 100.")
    if not curators or (overlap and len(curators) < 2):
        raise ValueError("An overlap needs two curators." if curators else "There is no curator to assign articles to.")
    random = Random(seed)
    shuffled = random.sample(articles, len(articles))
    people = random.sample(curators, len(curators))
    shared = int(len(articles) * overlap / 100 + 0.5)
    split: dict[int, tuple[int, ...]] = {}
    loads = dict.fromkeys(people, 0)
    for article, pair in zip(shuffled[:shared], islice(cycle(iter_balanced_pairs(people)), shared), strict=True):
        split[article] = pair
        for curator in pair:
            loads[curator] += 1
    for article in shuffled[shared:]:
        curator = min(people, key=loads.__getitem__)
        split[article] = (curator,)
        loads[curator] += 1
    return {article: split[article] for article in articles}


def iter_balanced_pairs(people: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Every pair once, in an order in which nobody ever is in more than one pair more than another.

    An even number plays a round-robin tournament: in each round everybody is in one pair. An odd number of people is
    arranged in circles that have no pair in common (Walecki, in Lucas 1883, Recreations mathematiques 2); of each
    circle every second pair comes first.
    """
    size = len(people)
    rounds = _iter_tournament(size) if size % 2 == 0 else map(_take_every_second_pair, _iter_circles(size))
    for pairs in rounds:
        yield from ((people[one], people[other]) for one, other in pairs)


def _iter_tournament(size: int) -> Iterator[list[tuple[int, int]]]:
    """Rounds of pairs of the numbers below size, an even number: the last stays, the others rotate."""
    turning = size - 1
    for first in range(turning):
        pairs = [((first + step) % turning, (first - step) % turning) for step in range(1, size // 2)]
        yield [(first, turning), *pairs]


def _iter_circles(size: int) -> Iterator[list[int]]:
    """Circles of the numbers below size, an odd number: the last, and a zigzag through the others."""
    half, others = size // 2, size - 1
    for first in range(half):
        steps = [(step + 1) // 2 if step % 2 else -(step // 2) for step in range(others)]
        yield [others, *((first + step) % others for step in steps)]


def _take_every_second_pair(circle: Sequence[int]) -> list[tuple[int, int]]:
    pairs = list(zip(circle, [*circle[1:], circle[0]], strict=True))
    return pairs[::2] + pairs[1::2]
