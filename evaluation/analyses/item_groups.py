"""The true positives, false negatives and false positives of a run in groups: types, organisms, classes."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

# Of more groups, the smallest are counted together.
MOST_GROUPS = 15


@dataclass(frozen=True, slots=True)
class ItemGroup:
    """Numbers of the items of one group: true positives, false negatives and false positives."""

    name: str
    found: int
    missed: int
    false: int

    @property
    def gold_items(self) -> int:
        return self.found + self.missed

    @property
    def items(self) -> int:
        """Its items in the gold standard and the run, each once."""
        return self.found + self.missed + self.false


@dataclass(slots=True)
class GroupCounter:
    """Counts items by the name of their group."""

    found: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)

    def add(self, found: Iterable[str], missed: Iterable[str], false: Iterable[str]) -> None:
        """Add the items of an article, by the names of their groups."""
        self.found.update(found)
        self.missed.update(missed)
        self.false.update(false)

    def add_class(self, said: str, right: str) -> None:
        """Add an article with one class each in the run and the gold standard."""
        self.add([said] * (said == right), [right] * (said != right), [said] * (said != right))

    def list_largest_groups(self) -> list[ItemGroup]:
        """The groups, those with the most items of the gold standard first; the last one may be of all others."""
        names = {*self.found, *self.missed, *self.false}
        groups = [ItemGroup(name, self.found[name], self.missed[name], self.false[name]) for name in names]
        groups.sort(key=lambda group: (-group.gold_items, -group.false, group.name))
        if len(groups) <= MOST_GROUPS:
            return groups
        kept, others = groups[: MOST_GROUPS - 1], groups[MOST_GROUPS - 1 :]
        return [*kept, _join_groups(others)]


def _join_groups(groups: list[ItemGroup]) -> ItemGroup:
    return ItemGroup(
        f"{len(groups):,} others",
        sum(group.found for group in groups),
        sum(group.missed for group in groups),
        sum(group.false for group in groups),
    )
