"""Numbers the distinct names of a file; millions of names take little more memory than their bytes."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import compress, count
from typing import Any, overload

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
Integers32 = npt.NDArray[np.int32]

# This many names are kept in a dictionary for fast look-ups; each takes over a hundred bytes there.
MOST_UNPACKED_NAMES = 1 << 18
# Python strings take more memory than their bytes, so only this many are created at once.
NAMES_PER_PIECE = 1 << 14
# A character that no name contains.
NAME_END = "\n"


class PackedNames(Sequence[str]):
    """Names stored as bytes, one after the other: fast to iterate over, slower to index."""

    def __init__(self) -> None:
        self.packed = bytearray()
        self.ends: Integers = np.zeros(1, dtype=np.int64)

    def extend(self, names: Sequence[str]) -> None:
        """Append names."""
        packed = "".join(f"{name}{NAME_END}" for name in names).encode("utf-8", "surrogateescape")
        ends = np.flatnonzero(np.frombuffer(packed, dtype=np.uint8) == ord(NAME_END)) + 1
        self.ends = np.concatenate([self.ends, ends + len(self.packed)])
        self.packed += packed

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), NAMES_PER_PIECE):
            yield from self.decode_names(start, min(start + NAMES_PER_PIECE, len(self))).split(NAME_END)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        return self.decode_names(position, position + 1)

    def decode_names(self, start: int, stop: int) -> str:
        """The names from start up to, but not including, stop, joined by NAME_END."""
        return self.packed[self.ends[start] : self.ends[stop] - 1].decode("utf-8", "surrogateescape")


class NameTuples(Sequence[tuple[str, ...]]):
    """Tuples built on access: tuple n is first[left[n]], a name or a tuple, extended by second[right[n]].

    left, right: int [tuples].
    """

    def __init__(self, first: Sequence[Any], second: Sequence[str], left: Integers32, right: Integers32) -> None:
        self.first, self.second, self.left, self.right = first, second, left, right

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        for start in range(0, len(self), NAMES_PER_PIECE):
            yield from self[start : start + NAMES_PER_PIECE]

    @overload
    def __getitem__(self, index: int) -> tuple[str, ...]: ...

    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, ...]]: ...

    def __getitem__(self, index: int | slice) -> tuple[str, ...] | list[tuple[str, ...]]:
        if not isinstance(index, slice):
            return _append_to_tuple(self.first[self.left[index]], self.second[self.right[index]])
        heads = map(self.first.__getitem__, self.left[index].tolist())
        return list(map(_append_to_tuple, heads, map(self.second.__getitem__, self.right[index].tolist())))


def _append_to_tuple(head: str | tuple[str, ...], last: str) -> tuple[str, ...]:
    return (head, last) if isinstance(head, str) else (*head, last)


class NameNumbers:
    """Numbers distinct names in the order of their first rows; several columns can share one instance.

    numbers: {name: provisional number} of the recent names. If there are more than max_unpacked, they are packed, and a
    name that comes again gets another provisional number; final_numbers maps these to the numbers that count.
    hash_name: a 64-bit hash of a name.
    """

    def __init__(self, max_unpacked: int = MOST_UNPACKED_NAMES, hash_name: Callable[[str], int] = hash) -> None:
        self.numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self.max_unpacked, self.hash_name = max_unpacked, hash_name
        self.packed = PackedNames()
        self.final_by_provisional: Integers32 = np.zeros(0, dtype=np.int32)
        # Sorted hashes of packed names and the number of each; packed names whose hash belongs to another name.
        self.hashes: Integers = np.zeros(0, dtype=np.int64)
        self.hashed_numbers: Integers32 = np.zeros(0, dtype=np.int32)
        self.colliding_names: dict[str, int] = {}

    def pack_if_full(self) -> None:
        """Pack the recent names if there are too many; called between blocks of names."""
        if len(self.numbers) > self.max_unpacked:
            self.pack()

    @cached_property
    def names(self) -> Sequence[str]:
        """All names, after all rows were read; frees the memory that was used to look names up."""
        if not self.packed:
            names = list(self.numbers)
            self.numbers.clear()
            return names
        self.pack()
        self.hashes, self.hashed_numbers, self.colliding_names = self.hashes[:0], self.hashed_numbers[:0], {}
        return self.packed

    def final_numbers(self, numbers: Integers32) -> Integers32:
        """The positions in `names` for provisional numbers; valid only after `names` was read."""
        return self.final_by_provisional[numbers] if self.packed else numbers

    def pack(self) -> None:
        """Move the recent names to the packed ones, except those already there."""
        names = list(self.numbers)
        self.numbers.clear()
        hashes = np.fromiter(map(self.hash_name, names), dtype=np.int64, count=len(names))
        numbers = self.find_packed_numbers(hashes)
        is_free = numbers < 0
        for row in np.flatnonzero(~is_free).tolist():
            if self.packed[numbers[row]] != names[row]:
                numbers[row] = self.colliding_names.get(names[row], -1)
        is_new = numbers < 0
        numbers[is_new] = len(self.packed) + np.arange(is_new.sum())
        self.packed.extend(list(compress(names, is_new)))
        self.remember_hashes(names, hashes, numbers, is_new, is_free)
        self.final_by_provisional = np.concatenate([self.final_by_provisional, numbers.astype(np.int32)])

    def find_packed_numbers(self, hashes: Integers) -> Integers:
        """int [hashes]: the number of the packed name with each hash, -1 if there is none."""
        order = np.argsort(hashes)
        positions = np.searchsorted(self.hashes, hashes[order])
        positions[positions == len(self.hashes)] = 0
        numbers = np.full(len(hashes), -1)
        if len(self.hashes):
            numbers[order] = np.where(self.hashes[positions] == hashes[order], self.hashed_numbers[positions], -1)
        return numbers

    def remember_hashes(
        self, names: list[str], hashes: Integers, numbers: Integers, is_new: Booleans, is_free: Booleans
    ) -> None:
        """Index new names: by hash where it is free (the first of two with one hash), otherwise by the name itself."""
        rows = np.flatnonzero(is_new & is_free)
        sorted_hashes, first_rows = np.unique(hashes[rows], return_index=True)
        has_own_hash = np.zeros(len(names), dtype=np.bool_)
        has_own_hash[rows[first_rows]] = True
        self.colliding_names |= {
            names[row]: int(numbers[row]) for row in np.flatnonzero(is_new & ~has_own_hash).tolist()
        }
        positions = np.searchsorted(self.hashes, sorted_hashes)
        self.hashes = np.insert(self.hashes, positions, sorted_hashes)
        self.hashed_numbers = np.insert(self.hashed_numbers, positions, numbers[rows[first_rows]])
