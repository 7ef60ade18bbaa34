"""Draw at random which articles each curator of an experiment curates with help: balanced, and reproducible. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random

from annotations.curation.states import CurationArm

# A curator and an article, by their ids.
CuratedPair = tuple[int, int]
# ("curator" or "article", id).
_Block = tuple[str, int]


def draw_arms(
    pairs: Sequence[CuratedPair], earlier: Mapping[CuratedPair, CurationArm], seed: int
) -> dict[CuratedPair, CurationArm]:
    """{pair: its arm}, the same for the same pairs in their order, earlier arms and seed.

    The pairs of a curator are a block, and so are those of an article: within each block of one call, the numbers of
    the two arms differ by one at most, and either arm is as likely for each pair. Where they do differ, the arm that
    had fewer earlier is preferred. pairs: each once, none of them earlier.

    Curators and articles are the two sides of a graph, and pairs its edges. It is taken apart into trails, first those
    that end at blocks of an odd size; along each, the arms alternate. As a closed trail has an even number of edges,
    only the ends of the others add to a difference, and no block is the end of two (Euler 1741).
    """
    random = Random(f"{seed}:{len(earlier)}")
    trails = _EdgeTrails(pairs, random)
    balance = _count_balance(earlier)
    arms: dict[CuratedPair, CurationArm] = {}
    for start, trail in trails.iter_trails():
        first = _choose_first_sign(start, trail, trails, balance, random)
        for number, edge in enumerate(trail):
            sign = first if number % 2 == 0 else -first
            arms[pairs[edge]] = CurationArm.WITH_HELP if sign > 0 else CurationArm.WITHOUT_HELP
            for block in _list_blocks(pairs[edge]):
                balance[block] += sign
    return {pair: arms[pair] for pair in pairs}


def _list_blocks(pair: CuratedPair) -> tuple[_Block, _Block]:
    curator, article = pair
    return ("curator", curator), ("article", article)


def _count_balance(earlier: Mapping[CuratedPair, CurationArm]) -> Counter[_Block]:
    """{block: how many more of its pairs are with help than without}."""
    balance = Counter[_Block]()
    for pair, arm in earlier.items():
        for block in _list_blocks(pair):
            balance[block] += 1 if arm is CurationArm.WITH_HELP else -1
    return balance


def _choose_first_sign(
    start: _Block, trail: Sequence[int], trails: "_EdgeTrails", balance: Mapping[_Block, int], random: Random
) -> int:
    """1 to begin a trail with help, -1 without: what leaves its ends more balanced, otherwise at random."""
    coin = random.choice((1, -1))
    end = trails.follow(start, trail)
    if end == start:
        return coin
    last = 1 if len(trail) % 2 else -1
    imbalances = {sign: abs(balance[start] + sign) + abs(balance[end] + sign * last) for sign in (1, -1)}
    return coin if imbalances[1] == imbalances[-1] else min(imbalances, key=imbalances.__getitem__)


class _EdgeTrails:
    """The edges of a graph in a random order, taken apart into trails that use each edge once."""

    def __init__(self, pairs: Sequence[CuratedPair], random: Random) -> None:
        self._ends = [_list_blocks(pair) for pair in pairs]
        self._unused: dict[_Block, set[int]] = {}
        for edge, ends in enumerate(self._ends):
            for block in ends:
                self._unused.setdefault(block, set()).add(edge)
        order = random.sample(range(len(pairs)), len(pairs))
        self._order = {edge: position for position, edge in enumerate(order)}
        self._blocks = random.sample(list(self._unused), len(self._unused))

    def iter_trails(self) -> Iterable[tuple[_Block, list[int]]]:
        """(where it starts, its edges): from each block with an odd number of edges at most one, then closed ones."""
        for block in self._blocks:
            if len(self._unused[block]) % 2:
                yield block, self._take_trail(block)
        for block in self._blocks:
            while self._unused[block]:
                yield block, self._take_trail(block)

    def follow(self, start: _Block, trail: Sequence[int]) -> _Block:
        """Where a trail ends."""
        block = start
        for edge in trail:
            block = self._get_other_end(edge, block)
        return block

    def _get_other_end(self, edge: int, block: _Block) -> _Block:
        one, other = self._ends[edge]
        return other if block == one else one

    def _take_trail(self, start: _Block) -> list[int]:
        """A trail from the start until there is no unused edge to go on."""
        trail, block = [], start
        while self._unused[block]:
            edge = min(self._unused[block], key=self._order.__getitem__)
            for end in self._ends[edge]:
                self._unused[end].discard(edge)
            trail.append(edge)
            block = self._get_other_end(edge, block)
        return trail
