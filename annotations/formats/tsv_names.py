"""Distinct names of a file, numbered as they come; millions of them take little more memory than their bytes."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import compress, count
from typing import overload

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
Integers32 = npt.NDArray[np.int32]

# So many names are looked up fast, in a dictionary; each takes over a hundred bytes there.
MOST_AT_ONCE = 1 << 18
# Names of Python take more memory than their bytes, so only so many are made at once.
PIECE = 1 << 14
# No name of a line holds its end.
END = "\n"


class PackedNames(Sequence[str]):
    """Names as the bytes of their file, one after the other: quick to read in order, slower one by one."""

    def __init__(self) -> None:
        self.packed = bytearray()
        self.ends: Integers = np.zeros(1, dtype=np.int64)

    def extend(self, names: Sequence[str]) -> None:
        """Put these behind the others."""
        packed = "".join(f"{name}{END}" for name in names).encode("utf-8", "surrogateescape")
        ends = np.flatnonzero(np.frombuffer(packed, dtype=np.uint8) == ord(END)) + 1
        self.ends = np.concatenate([self.ends, ends + len(self.packed)])
        self.packed += packed

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), PIECE):
            yield from self.text(start, min(start + PIECE, len(self))).split(END)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[own] for own in range(*place.indices(len(self)))]
        own = range(len(self))[place]
        return self.text(own, own + 1)

    def text(self, start: int, stop: int) -> str:
        """The names from start to before stop, with END between them."""
        return self.packed[self.ends[start] : self.ends[stop] - 1].decode("utf-8", "surrogateescape")


class NameTuples(Sequence[tuple[str, ...]]):
    """Tuples put together when they are asked for: number n is first[left[n]], a name or a tuple, and second[right[n]].

    left, right: int [tuples].
    """

    def __init__(self, first: Sequence, second: Sequence[str], left: Integers32, right: Integers32) -> None:
        self.first, self.second, self.left, self.right = first, second, left, right

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        for start in range(0, len(self), PIECE):
            yield from self[start : start + PIECE]

    @overload
    def __getitem__(self, place: int) -> tuple[str, ...]: ...

    @overload
    def __getitem__(self, place: slice) -> list[tuple[str, ...]]: ...

    def __getitem__(self, place: int | slice) -> tuple[str, ...] | list[tuple[str, ...]]:
        if not isinstance(place, slice):
            return joined(self.first[self.left[place]], self.second[self.right[place]])
        heads = map(self.first.__getitem__, self.left[place].tolist())
        return list(map(joined, heads, map(self.second.__getitem__, self.right[place].tolist())))


def joined(head: str | tuple[str, ...], last: str) -> tuple[str, ...]:
    return (head, last) if isinstance(head, str) else (*head, last)


class Names:
    """Gives every distinct name a number, in the order of their first rows; several columns can share one.

    numbers: {name: number} of the names of late. When they become too many they are packed; a name that comes again
    then gets another number at first, and `settled` says which one counts. at_once: how many are too many; hash_of: 64
    bits of a name.
    """

    def __init__(self, at_once: int = MOST_AT_ONCE, hash_of: Callable[[str], int] = hash) -> None:
        self.numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self.at_once, self.hash_of = at_once, hash_of
        self.packed = PackedNames()
        self.numbers_that_count: Integers32 = np.zeros(0, dtype=np.int32)
        # Hashes of packed names, sorted, and the number of each; names of which another one has the hash.
        self.hashes: Integers = np.zeros(0, dtype=np.int64)
        self.hashed: Integers32 = np.zeros(0, dtype=np.int32)
        self.twins: dict[str, int] = {}

    def rest(self) -> None:
        """To be called now and then while names come."""
        if len(self.numbers) > self.at_once:
            self.pack()

    @cached_property
    def names(self) -> Sequence[str]:
        """All names, once all rows are read: what they were found by takes more memory and is given up."""
        if not self.packed:
            names = list(self.numbers)
            self.numbers.clear()
            return names
        self.pack()
        self.hashes, self.hashed, self.twins = self.hashes[:0], self.hashed[:0], {}
        return self.packed

    def settled(self, numbers: Integers32) -> Integers32:
        """The numbers that count, each that of a place among all names; to be called once `names` is."""
        return self.numbers_that_count[numbers] if self.packed else numbers

    def pack(self) -> None:
        """Move the names of late behind the packed ones, but for those that are there."""
        names = list(self.numbers)
        self.numbers.clear()
        hashes = np.fromiter(map(self.hash_of, names), dtype=np.int64, count=len(names))
        numbers = self.numbers_of(hashes)
        free = numbers < 0
        for row in np.flatnonzero(~free).tolist():
            if self.packed[numbers[row]] != names[row]:
                numbers[row] = self.twins.get(names[row], -1)
        new = numbers < 0
        numbers[new] = len(self.packed) + np.arange(new.sum())
        self.packed.extend(list(compress(names, new)))
        self.remember(names, hashes, numbers, new, free)
        self.numbers_that_count = np.concatenate([self.numbers_that_count, numbers.astype(np.int32)])

    def numbers_of(self, hashes: Integers) -> Integers:
        """int [hashes]: the number of the packed name with each, -1 where there is none."""
        order = np.argsort(hashes)
        near = np.searchsorted(self.hashes, hashes[order])
        near[near == len(self.hashes)] = 0
        numbers = np.full(len(hashes), -1)
        if len(self.hashes):
            numbers[order] = np.where(self.hashes[near] == hashes[order], self.hashed[near], -1)
        return numbers

    def remember(self, names: list[str], hashes: Integers, numbers: Integers, new: Booleans, free: Booleans) -> None:
        """Note by what the new names are found: by their hash where it is free, of two with one hash the first."""
        rows = np.flatnonzero(new & free)
        sorted_hashes, first = np.unique(hashes[rows], return_index=True)
        alone = np.zeros(len(names), dtype=np.bool_)
        alone[rows[first]] = True
        self.twins |= {names[row]: int(numbers[row]) for row in np.flatnonzero(new & ~alone).tolist()}
        near = np.searchsorted(self.hashes, sorted_hashes)
        self.hashes = np.insert(self.hashes, near, sorted_hashes)
        self.hashed = np.insert(self.hashed, near, numbers[rows[first]])
