"""The words of an article that are marked, and the database entries that they mean."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property

from annotations.collation import Links, Named, Span
from bcms.pages.marking import span_key, word_key

EntryKey = tuple[str, str]


class Words:
    """Links by names between the mentions of a text, whoever marks them, and the entries that are reported for it.

    Marks of one name have one key (word_key); an entry's key is its database and identifier.
    """

    def __init__(self, text: str, spans: Iterable[Span], entries: Iterable[Named]) -> None:
        self.text = text
        self.spans = sorted(set(spans))
        self.links = Links(list(entries))

    def text_of(self, span: Span) -> str:
        return self.text[span[0] : span[1]]

    def key_of(self, span: Span) -> str:
        return word_key(self.text_of(span))

    def has(self, span: Span | None) -> bool:
        return span in self._known

    @cached_property
    def _known(self) -> frozenset[Span]:
        return frozenset(self.spans)

    @cached_property
    def first(self) -> dict[str, Span]:
        """Where each name stands first, in the order of the text."""
        first: dict[str, Span] = {}
        for span in self.spans:
            first.setdefault(self.key_of(span), span)
        return first

    @cached_property
    def entries(self) -> dict[str, list[Named]]:
        """The entries that each name means."""
        return {word: [link.entry for link in self.links.of(self.text_of(span))] for word, span in self.first.items()}

    @cached_property
    def of_entries(self) -> dict[EntryKey, list[str]]:
        """The names of the text that mean each entry, in the order in which they first stand there."""
        words: dict[EntryKey, list[str]] = defaultdict(list)
        for word, entries in self.entries.items():
            for entry in entries:
                words[entry.database, entry.identifier].append(word)
        return dict(words)

    def meaning_the_same(self, span: Span) -> frozenset[str]:
        """Every name of the text that means an entry which this mention means too, its own included."""
        own = self.key_of(span)
        keys = [(entry.database, entry.identifier) for entry in self.entries.get(own, ())]
        return frozenset({own}.union(*(self.of_entries[key] for key in keys)))

    def first_of(self, words: Iterable[str]) -> str:
        """The span, as addresses have it, where one of these names stands first; empty when there are none."""
        return span_key(min(spans)) if (spans := [self.first[word] for word in words]) else ""
