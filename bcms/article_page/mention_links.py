"""The mentions in an article, and the database entries that they may refer to."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.name_links import NameLinker
from annotations.results.heat_map import MentionParts
from bcms.article_page.text.marked_text import compute_regularized_name_checksum, format_parts, get_text_of_parts

EntryKey = tuple[str, str]
NO_LINKS: Mapping[MentionParts, Iterable[NamedEntry]] = {}


class MentionLinks:
    """Links between the mentions in a text and entries: by name, to those reported for it, and as servers gave them.

    Mentions of one name have one key (marked_text.compute_regularized_name_checksum) and the links of all of them; an
    entry's key is its database and identifier.
    """

    def __init__(
        self,
        text: str,
        mentions: Iterable[MentionParts],
        entries: Iterable[NamedEntry],
        given_links: Mapping[MentionParts, Iterable[NamedEntry]] = NO_LINKS,
    ) -> None:
        """given_links: the entries that servers linked to a mention, of any number of servers, each once."""
        self.text = text
        self.mentions = sorted(set(mentions))
        self.links = NameLinker(list(entries))
        self.given_links = given_links

    def get_mention_text(self, mention: MentionParts) -> str:
        return get_text_of_parts(self.text, mention)

    def get_name_key(self, mention: MentionParts) -> str:
        return self._name_keys.get(mention) or compute_regularized_name_checksum(self.get_mention_text(mention))

    @cached_property
    def _name_keys(self) -> dict[MentionParts, str]:
        return {
            mention: compute_regularized_name_checksum(get_text_of_parts(self.text, mention))
            for mention in self.mentions
        }

    def has_mention(self, mention: MentionParts | None) -> bool:
        return mention in self._known_mentions

    @cached_property
    def _known_mentions(self) -> frozenset[MentionParts]:
        return frozenset(self.mentions)

    @cached_property
    def first_mentions(self) -> dict[str, MentionParts]:
        """The first mention of each name, by name key, in the order of the text."""
        first: dict[str, MentionParts] = {}
        for mention in self.mentions:
            first.setdefault(self.get_name_key(mention), mention)
        return first

    @cached_property
    def given_entries_by_name(self) -> dict[str, list[NamedEntry]]:
        """The entries that servers linked to mentions of each name, by name key."""
        entries: dict[str, dict[NamedEntry, None]] = defaultdict(dict)
        for mention, linked in self.given_links.items():
            entries[self.get_name_key(mention)].update(dict.fromkeys(linked))
        return {name_key: list(linked) for name_key, linked in entries.items()}

    @cached_property
    def entries_by_name(self) -> dict[str, list[NamedEntry]]:
        """The entries that each name may refer to, by name key; those that servers linked to it come first."""
        by_name = {}
        for name_key, mention in self.first_mentions.items():
            named = [link.entry for link in self.links.list_links(self.get_mention_text(mention))]
            by_name[name_key] = list(dict.fromkeys([*self.given_entries_by_name.get(name_key, ()), *named]))
        return by_name

    @cached_property
    def names_by_entry(self) -> dict[EntryKey, list[str]]:
        """The name keys that may refer to each entry, in the order of their first mention."""
        name_keys: dict[EntryKey, list[str]] = defaultdict(list)
        for name_key, entries in self.entries_by_name.items():
            for entry in entries:
                name_keys[entry.database, entry.identifier].append(name_key)
        return dict(name_keys)

    def find_equivalent_names(self, mention: MentionParts) -> frozenset[str]:
        """The keys of all names that share an entry with this mention, and the key of its own name."""
        name_key = self.get_name_key(mention)
        entry_keys = [(entry.database, entry.identifier) for entry in self.entries_by_name.get(name_key, ())]
        return frozenset({name_key}.union(*(self.names_by_entry[key] for key in entry_keys)))

    def format_first_mention(self, name_keys: Iterable[str]) -> str:
        """The first mention of any of these names, as in URLs; empty for no names that are marked."""
        mentions = [self.first_mentions[key] for key in name_keys if key in self.first_mentions]
        return format_parts(min(mentions)) if mentions else ""
