"""What the reader of an article wants to see of its annotations; it lives in the address of the page."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.http import QueryDict

from annotations.collation import Group
from annotations.kinds import Kind

# Nothing in them is of an organism.
WITHOUT_ORGANISM = (Kind.METHOD,)
MOST_SERVERS = 100


@dataclass(frozen=True, slots=True)
class Filters:
    """servers are slugs, none for all of them; agree is the smallest number of servers; confidence in (0, 1].

    differ: only what not all say who looked for this kind. heat: the text too is marked by the chosen servers alone.
    """

    servers: tuple[str, ...] = ()
    taxon: int | None = None
    confidence: float | None = None
    agree: int = 1
    differ: bool = False
    heat: bool = False

    @property
    def active(self) -> bool:
        return bool(self.servers or self.narrow)

    @property
    def narrow(self) -> bool:
        """Whether annotations are left out, apart from those of other servers."""
        return bool(self.taxon or self.confidence or self.agree > 1 or self.differ)

    def keeps(self, group: Group, total: int, taxa: Collection[int]) -> bool:
        """Whether an annotation is shown; total servers looked for its kind, taxa are the organisms it is of.

        An annotation without any confidence is never as confident as asked for.
        """
        if self.confidence is not None and (group.mean is None or group.mean < self.confidence):
            return False
        if group.count < self.agree or (self.differ and group.count == total):
            return False
        return self.taxon is None or group.finding.kind in WITHOUT_ORGANISM or self.taxon in taxa

    def pairs(self) -> list[tuple[str, str]]:
        """The filters as they stand in an address."""
        return [
            *(("server", slug) for slug in self.servers),
            *([("taxon", str(self.taxon))] if self.taxon else []),
            *([("confidence", f"{self.confidence:g}")] if self.confidence else []),
            *([("agree", str(self.agree))] if self.agree > 1 else []),
            *([("differ", "1")] if self.differ else []),
            *([("heat", "1")] if self.heat and self.servers else []),
        ]


def filters_of(query: QueryDict) -> Filters:
    """What an address asks for; what it says wrongly is passed over."""
    return Filters(
        servers=tuple(dict.fromkeys(filter(None, query.getlist("server"))))[:MOST_SERVERS],
        taxon=whole(query.get("taxon", "")),
        confidence=share(query.get("confidence", "")),
        agree=whole(query.get("agree", "")) or 1,
        differ=query.get("differ") == "1",
        heat=query.get("heat") == "1",
    )


def whole(text: str) -> int | None:
    """A whole number from 1 that the database can hold, else None."""
    number = int(text) if re.fullmatch(r"[0-9]{1,10}", text, re.ASCII) else 0
    return number if 0 < number < 2**31 else None


def share(text: str) -> float | None:
    """A number over 0 and at most 1, else None."""
    number = float(text) if re.fullmatch(r"[01]?(?:\.[0-9]{0,6})?", text, re.ASCII) and text.strip(".") else 0.0
    return number if 0 < number <= 1 else None


def filter_words(filters: Filters, kind: Kind, organism: str, names: Iterable[str], total: int) -> str:
    """What is filtered, as a sentence; names are the chosen servers' of total that looked for this kind."""
    chosen = list(names)
    parts = [f"what {joined(chosen)} say{'s' if len(chosen) == 1 else ''}"] if chosen else []
    if filters.agree > 1:
        parts.append(f"what at least {filters.agree} servers say")
    if filters.differ:
        parts.append(f"what not all {total} servers say")
    if filters.confidence:
        parts.append(f"a mean confidence of at least {filters.confidence:.2f}")
    if filters.taxon and kind not in WITHOUT_ORGANISM:
        parts.append(organism)
    return f"Shown: {', '.join(parts)}." if parts else ""


def joined(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""
