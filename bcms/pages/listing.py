"""The list of annotations of one kind: filtered, ordered, in pages, each with who says it."""

import zlib
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property

from annotations.collation import Group, group
from annotations.kinds import Finding, Kind
from bcms.pages.filters import WITHOUT_ORGANISM, filter_words
from bcms.pages.parts import Line, Option, Row
from bcms.pages.reading import Reading

PAGE_OF_LIST = 300


class Listing:
    """The open kind of a reading; servers that the reader did not choose, if any were chosen, are not listened to."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.kind = reading.kind
        self.filters = reading.choice.filters
        self.heard = reading.heard[self.kind]

    @property
    def total(self) -> int:
        """How many of the servers that are listened to looked for this kind."""
        return len(self.heard)

    @cached_property
    def groups(self) -> list[Group]:
        findings = {producer: word.findings for producer, word in self.heard.items()}
        return group(findings, self.reading.choice.order)

    @cached_property
    def kept(self) -> list[Group]:
        """What the filters leave."""
        if not self.filters.narrow:
            return self.groups
        return [g for g in self.groups if self.filters.keeps(g, self.total, self.taxa(g.finding))]

    @property
    def hidden(self) -> int:
        return self.reading.numbers.get(self.kind, 0) - len(self.kept)

    def taxa(self, finding: Finding) -> Collection[int]:
        """The organisms that an annotation is of; a mention's are those of the entries that it means."""
        if finding.kind == Kind.MENTION:
            words = self.reading.words
            return {entry.taxon for entry in words.entries.get(self.keys(finding)[0][0], ()) if entry.taxon}
        if finding.kind == Kind.TAXON:
            return {int(finding.identifier)} if finding.identifier.isdecimal() else set()
        return self.reading.naming.taxa(finding)

    # Pages

    @cached_property
    def page(self) -> int:
        """The page of the list, from 1: the one asked for, or the one with what is chosen."""
        if self.reading.choice.page:
            return min(self.reading.choice.page, self.pages)
        chosen = (number for number, g in enumerate(self.kept) if self.reading.is_chosen(g.finding))
        return next(chosen, 0) // PAGE_OF_LIST + 1

    @property
    def pages(self) -> int:
        return max(1, -(-len(self.kept) // PAGE_OF_LIST))

    @property
    def before(self) -> int:
        """The page before this one, 0 for none."""
        return self.page - 1

    @property
    def after(self) -> int:
        return self.page + 1 if self.page < self.pages else 0

    @property
    def first_row(self) -> int:
        return (self.page - 1) * PAGE_OF_LIST + 1

    @property
    def last_row(self) -> int:
        return self.first_row + len(self.rows) - 1

    @cached_property
    def rows(self) -> list[Row]:
        return [self.row(g) for g in self.kept[self.first_row - 1 :][:PAGE_OF_LIST]]

    def row(self, group: Group) -> Row:
        finding = group.finding
        keys = self.keys(finding)
        return Row(
            id=f"r{zlib.crc32(repr((finding.kind, finding.key)).encode()):08x}",
            text=finding.text,
            type=finding.type,
            mention=f"{finding.start}-{finding.end}" if finding.kind == Kind.MENTION else "",
            choose=self.choose(finding, keys),
            words=" ".join(word for some in keys for word in some),
            references=self.reading.naming.of(finding),
            count=group.count,
            total=self.total,
            mean=group.mean,
            lines=self.lines(group),
            chosen=self.reading.is_chosen(finding),
        )

    def lines(self, group: Group) -> list[Line]:
        finding = group.finding
        return [
            self.reading.line(
                finding.kind, vote.producer, vote.confidence, vote.rank, self.reading.reported(vote.producer, finding)
            )
            for vote in group.votes
        ]

    def keys(self, finding: Finding) -> list[Sequence[str]]:
        """The keys of the marks that a finding means, of each of its entries apart."""
        words = self.reading.words
        if finding.start is not None and finding.end is not None:
            return [[words.key_of((finding.start, finding.end))]]
        names = [name for name in (finding.identifier, finding.partner) if name]
        return [words.of_entries.get((finding.database, name), ()) for name in names]

    def choose(self, finding: Finding, keys: Sequence[Sequence[str]]) -> str:
        """What the address of its choice ends in: its span, or where its entry is named first, for a pair both."""
        if finding.kind == Kind.MENTION:
            return f"{finding.start}-{finding.end}"
        return "&beside=".join(self.reading.words.first_of(some) for some in keys if some)

    # What can be filtered by

    @cached_property
    def words(self) -> str:
        """What is filtered, as a sentence."""
        names = [option.label for option in self.servers if option.on]
        organism = self.reading.naming.organism(self.filters.taxon)
        return filter_words(self.filters, self.kind, organism, names, self.total)

    @cached_property
    def servers(self) -> list[Option]:
        """The servers that looked for this kind, with how many annotations each has."""
        return [
            Option(word.source.slug, word.source.label, len(word.findings), word.source.slug in self.reading.slugs)
            for word in self.reading.by_kind[self.kind].values()
        ]

    @cached_property
    def taxa_found(self) -> list[Option]:
        """The organisms of this kind, the most frequent first; the chosen one even when it is none of them."""
        if self.kind in WITHOUT_ORGANISM:
            return []
        counts = Counter(taxon for g in self.groups for taxon in self.taxa(g.finding))
        chosen = self.filters.taxon
        found = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        found += [(chosen, 0)] if chosen and chosen not in counts else []
        return [Option(str(taxon), self.reading.naming.organism(taxon), n, taxon == chosen) for taxon, n in found]
