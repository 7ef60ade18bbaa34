"""What somebody has typed to find an entry: the beginning of a name, with a database or an organism or without."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from annotations.identifiers.curies import CURIE, has_known_form, parse_curie_or_url
from annotations.identifiers.namespaces import NAMESPACES, find_database_by_spelling
from annotations.identifiers.tables.species import list_species_of_bundled_table
from annotations.schema import EntityId
from annotations.search.greek import list_greek_spellings
from annotations.search.typing_errors import differ_by_one_error
from bcms.lib.text import strip_case_spaces_and_dashes

# Shorter beginnings are those of too many names.
SHORTEST_BEGINNING = 2
# Any name is one error away from a very short one; a long one has too many possible errors.
SHORTEST_MISTYPED, LONGEST_MISTYPED = 4, 40
MOST_WORDS = 12
MOST_ORGANISM_WORDS = 3
# As in the function annotations_name_lexemes
WORD = re.compile(r"[^\W_]+")
# Another number is another thing, so no error is assumed in D001943, CG12345 or P04637.
NUMBER = re.compile(r"[a-z]{0,5}[:_-]?[0-9]{4,}", re.IGNORECASE | re.ASCII)
UNIPROT = NAMESPACES["uniprot"].pattern


@dataclass(frozen=True, slots=True)
class TypedName:
    """text: a name or identifier, or its beginning, without the database or organism that was typed with it.

    whole: the text with the organism, if there was one, else "". databases: where to look, everywhere if it is empty.
    taxon: of the organism that was typed, None if there was none. is_identifier: whether it has the form of identifiers
    of the database.
    """

    text: str
    databases: tuple[str, ...] = ()
    whole: str = ""
    taxon: int | None = None
    is_identifier: bool = False

    def list_beginnings(self) -> list[str]:
        """The regularized text in each spelling of Greek letters, and that with the organism; empty if too short."""
        spellings = [*list_greek_spellings(self.text), *(list_greek_spellings(self.whole) if self.whole else ())]
        folded = map(strip_case_spaces_and_dashes, spellings)
        return [each for each in dict.fromkeys(folded) if len(each) >= SHORTEST_BEGINNING]

    def list_mistyped_parts(self) -> list[tuple[str, list[str]]]:
        """The regularized text and its words if they may have an error, each with the words that have none then.

        Of one word, there is only the text. Empty for what looks like an identifier.
        """
        if self.is_identifier or NUMBER.fullmatch(self.text) or UNIPROT.fullmatch(self.text.upper()):
            return []
        words = self.list_words()
        parts = [(word, [other for other in words if other != word]) for word in words]
        parts = [(strip_case_spaces_and_dashes(self.text), []), *(parts if len(words) > 1 else ())]
        return [part for part in parts if SHORTEST_MISTYPED <= len(part[0]) <= LONGEST_MISTYPED]

    def list_words(self) -> list[str]:
        """The words of the text in lower case; empty if there are too many, and for an identifier."""
        words = list(dict.fromkeys(WORD.findall(self.text.lower())))
        return words if len(words) <= MOST_WORDS and not self.is_identifier else []


def is_beginning_but_for_one_error(typed: str, name: str) -> bool:
    """Whether a regularized name begins with the typed text, one typing error apart."""
    return any(differ_by_one_error(typed, name[:end]) for end in range(len(typed) - 1, len(typed) + 2))


def parse_typed_name(text: str, databases: Sequence[str]) -> TypedName | None:
    """What was typed; None if it is a CURIE or URL of a database other than these.

    A CURIE may be incomplete: "MESH:D0019". An organism of the bundled table may be the first or the last words.
    """
    text = text.strip()
    if entity := parse_curie_or_url(text) or _parse_database_and_name(text):
        database, name = entity
        is_identifier = has_known_form(EntityId(database, name))
        typed = TypedName(name, (database,), is_identifier=is_identifier)
        return typed if not databases or database in databases else None
    rest, taxon = _split_off_organism(text)
    return TypedName(rest, tuple(databases), text if taxon else "", taxon)


def _parse_database_and_name(text: str) -> tuple[str, str] | None:
    match = CURIE.fullmatch(text)
    database = find_database_by_spelling(match["prefix"]) if match else None
    return (database, match["identifier"]) if match and database else None


def _split_off_organism(text: str) -> tuple[str, int | None]:
    """The text without the organism at its end or start, and its taxon id; the text and None without one."""
    words, taxa = text.split(), _map_organism_words_to_taxa()
    for number in range(min(MOST_ORGANISM_WORDS, len(words) - 1), 0, -1):
        for organism, rest in ((words[-number:], words[:-number]), (words[:number], words[number:])):
            taxon = taxa.get(" ".join(organism).strip("(),[]").lower())
            name = " ".join(rest).rstrip(" ,")
            if taxon and len(strip_case_spaces_and_dashes(name)) >= SHORTEST_BEGINNING:
                return name, taxon
    return text, None


@cache
def _map_organism_words_to_taxa() -> dict[str, int]:
    """Each name or word of the species in the bundled table, in lower case; the first species of a word counts."""
    taxa: dict[str, int] = {}
    for species in list_species_of_bundled_table():
        for form in species.forms:
            taxa.setdefault(form.lower(), species.taxon)
    return taxa
