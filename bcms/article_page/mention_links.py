"""The mentions in an article, and the database entries that they may refer to."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property

from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.name_links import NameLinker
from annotations.results.heat_map import MarkedRange
from bcms.article_page.marked_text import compute_regularized_name_checksum, format_span

EntryKey = tuple[str, str]


class MentionLinks:
    """Links, by name, between the mentions in a text and the entries reported for it, each by any producer.

    Mentions of one name have one key (marked_text.compute_regularized_name_checksum); an entry's key is its database
    and identifier.
    """

    def __init__(self, text: str, spans: Iterable[MarkedRange], entries: Iterable[NamedEntry]) -> None:
        self.text = text
        self.spans = sorted(set(spans))
        self.links = NameLinker(list(entries))

    def get_span_text(self, span: MarkedRange) -> str:
        return self.text[span[0] : span[1]]

    def get_name_key(self, span: MarkedRange) -> str:
        return compute_regularized_name_checksum(self.get_span_text(span))

    def has_span(self, span: MarkedRange | None) -> bool:
        return span in self._known_spans

    @cached_property
    def _known_spans(self) -> frozenset[MarkedRange]:
        return frozenset(self.spans)

    @cached_property
    def first_spans(self) -> dict[str, MarkedRange]:
        """The first mention of each name, by name key, in the order of the text."""
        first: dict[str, MarkedRange] = {}
        for span in self.spans:
            first.setdefault(self.get_name_key(span), span)
        return first

    @cached_property
    def entries_by_name(self) -> dict[str, list[NamedEntry]]:
        """The entries that each name may refer to, by name key."""
        return {
            name_key: [link.entry for link in self.links.list_links(self.get_span_text(span))]
            for name_key, span in self.first_spans.items()
        }

    @cached_property
    def names_by_entry(self) -> dict[EntryKey, list[str]]:
        """The name keys that may refer to each entry, in the order of their first mention."""
        name_keys: dict[EntryKey, list[str]] = defaultdict(list)
        for name_key, entries in self.entries_by_name.items():
            for entry in entries:
                name_keys[entry.database, entry.identifier].append(name_key)
        return dict(name_keys)

    def find_equivalent_names(self, span: MarkedRange) -> frozenset[str]:
        """The keys of all names that share an entry with this mention, and the key of its own name."""
        name_key = self.get_name_key(span)
        entry_keys = [(entry.database, entry.identifier) for entry in self.entries_by_name.get(name_key, ())]
        return frozenset({name_key}.union(*(self.names_by_entry[key] for key in entry_keys)))

    def format_first_span(self, name_keys: Iterable[str]) -> str:
        """The span of the first mention of any of these names, as in URLs; empty for no names."""
        return format_span(min(spans)) if (spans := [self.first_spans[key] for key in name_keys]) else ""
