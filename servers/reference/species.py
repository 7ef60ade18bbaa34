"""The organisms that an article is about, by a dictionary of their names and of words that mean people (TX)."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from annotations.kinds import Finding, Kind
from servers.kit.articles import KitArticle

HUMAN = 9606
WORD = re.compile(r"[A-Za-z]+")
LONGEST_NAME = 4
COLUMNS = ("taxon", "name", "common", "words")

# Words for people. Of abstracts with such a word and without an animal, indexers call 97 in 100 human.
PEOPLE_WORDS = """
adolescent adult boy child children donor girl human infant inpatient man men neonate neonatal newborn outpatient
patient people person pregnant subject volunteer who whom woman women
"""
# Words of the clinic: alone they make an article human only when it names no animal.
CLINIC_WORDS = """
adverse arthritis biopsy cancer carcinoma case chronic clinic clinical complication congenital coronary death diabetes
diagnosed diagnosis diagnostic disease disorder elderly hospital illness incidence infarction lesion malignant mental
morbidity mortality operation operative pain postoperative pregnancy preoperative prevalence prognosis prospective
psychiatric rare retrospective surgery surgical symptom syndrome therapeutic therapy treatment trial tumor years
"""
# How often an organism named once, twice, three times, or more is one of the indexers' too, measured on abstracts of
# 1976-79: alone in its article, beside other organisms, and people beside animals (who may be no more than the reader's
# patients, so that one word for people is then left out).
ALONE = (0.94, 0.97, 0.98, 0.99)
ALONE_IN_TITLE = 0.99
BESIDE_OTHERS = (0.58, 0.77, 0.80, 0.85)
BESIDE_OTHERS_IN_TITLE = 0.91
PEOPLE_BESIDE_OTHERS = (0.0, 0.55, 0.69, 0.85)
BY_CLINIC_ALONE = 0.89
PEOPLE = frozenset(PEOPLE_WORDS.split())
CLINIC = frozenset(CLINIC_WORDS.split())


@dataclass(frozen=True, slots=True)
class Species:
    """One organism: its id in the NCBI Taxonomy and the names it goes by, the scientific one first."""

    taxon: int
    names: tuple[str, ...]


def read_species(lines: Iterable[str]) -> list[Species]:
    """The organisms of a tab-separated table with the columns of COLUMNS, the latter two of them lists parted by "|".

    Raises ValueError when a column is missing or a taxon is not a number.
    """
    table = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    missing = [column for column in COLUMNS if column not in (table.fieldnames or ())]
    if missing:
        raise ValueError(f"The table of species has no column {missing[0]!r}.")
    return [species_of(row) for row in table]


def species_of(row: dict[str, str]) -> Species:
    names = (row["name"], *row["common"].split("|"), *row["words"].split("|"))
    return Species(int(row["taxon"]), tuple(name for name in names if name))


class SpeciesDictionary:
    """Finds the names of organisms in a text: whole words, longest first, in any case, singular or plural."""

    def __init__(self, organisms: Iterable[Species]) -> None:
        self.taxa: dict[tuple[str, ...], int] = {}
        for organism in organisms:
            for name in (*organism.names, *abbreviated(organism.names[:1])):
                self.taxa.setdefault(words_of(name), organism.taxon)

    def annotate(self, article: KitArticle) -> list[Finding]:
        """One finding for each organism, the surest first; confidence is the share of such findings that were right."""
        titled, counts = set(self.taxa_in(article.title)), Counter(self.taxa_in(article.text))
        if not counts and any(word in CLINIC for word in words_of(article.text)):
            return [finding(HUMAN, BY_CLINIC_ALONE)]
        alone = len(counts) == 1
        sureness = {taxon: confidence(taxon, count, taxon in titled, alone) for taxon, count in counts.items()}
        ranked = sorted(sureness, key=lambda taxon: -sureness[taxon])
        return [finding(taxon, sureness[taxon]) for taxon in ranked if sureness[taxon]]

    def taxa_in(self, text: str) -> Iterator[int]:
        """The taxon of each name in the text, in order of appearance; words for people count as the human taxon."""
        words = words_of(text)
        position = 0
        while position < len(words):
            length = self.longest_name_at(words, position)
            if length:
                yield self.taxa[words[position : position + length]]
            elif words[position] in PEOPLE:
                yield HUMAN
            position += length or 1

    def longest_name_at(self, words: tuple[str, ...], position: int) -> int:
        """How many words the longest name that begins here has, 0 when none does."""
        lengths = range(min(LONGEST_NAME, len(words) - position), 0, -1)
        return next((length for length in lengths if words[position : position + length] in self.taxa), 0)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in lower case and, where an s is all that makes them plural, in the singular."""
    return tuple(singular(word) for word in WORD.findall(text))


def singular(word: str) -> str:
    """Abbreviations in capitals keep their case: CAT is an enzyme, RAT a test, and neither is an animal."""
    if word.isupper() and len(word) > 1:
        return word
    word = word.lower()
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def abbreviated(names: Iterable[str]) -> Iterator[str]:
    """E. coli for Escherichia coli; nothing for names of one word or of more than two."""
    for name in names:
        genus, *rest = name.split()
        if len(rest) == 1:
            yield f"{genus[0]}. {rest[0]}"


def confidence(taxon: int, count: int, in_title: bool, alone: bool) -> float:
    """In (0, 1], or 0 for an organism that is not to be reported. count: how often it is named, 1 or more."""
    number = min(count, len(ALONE)) - 1
    if alone:
        return ALONE_IN_TITLE if in_title else ALONE[number]
    if taxon == HUMAN:
        return PEOPLE_BESIDE_OTHERS[number]
    return BESIDE_OTHERS_IN_TITLE if in_title else BESIDE_OTHERS[number]


def finding(taxon: int, sureness: float) -> Finding:
    return Finding(Kind.TAXON, database="ncbitaxon", identifier=str(taxon), confidence=sureness)
