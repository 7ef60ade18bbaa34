"""The organisms that an article is about, by a dictionary of their names and of words for people (TX)."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from annotations.schema import AnnotationData, Kind
from servers.kit.articles import KitArticle

HUMAN = 9606
WORD = re.compile(r"[A-Za-z]+")
LONGEST_NAME = 4
COLUMNS = ("taxon", "name", "common", "words")

# Words for people. Of the abstracts with such a word and no animal, MEDLINE's indexers labelled 97 % as human.
PEOPLE_WORDS = """
adolescent adult boy child children donor girl human infant inpatient man men neonate neonatal newborn outpatient
patient people person pregnant subject volunteer who whom woman women
"""
# Clinical words; they make an article human only if it names no organism.
CLINIC_WORDS = """
adverse arthritis biopsy cancer carcinoma case chronic clinic clinical complication congenital coronary death diabetes
diagnosed diagnosis diagnostic disease disorder elderly hospital illness incidence infarction lesion malignant mental
morbidity mortality operation operative pain postoperative pregnancy preoperative prevalence prognosis prospective
psychiatric rare retrospective surgery surgical symptom syndrome therapeutic therapy treatment trial tumor years
"""
# How often an organism that is named once, twice, three times, or more often is also among the indexers' headings,
# measured on abstracts of 1976-79: alone in its article, beside other organisms, and humans beside animals. One word
# for people beside animals may just mean future patients, so it is not reported.
ALONE = (0.94, 0.97, 0.98, 0.99)
ALONE_IN_TITLE = 0.99
BESIDE_OTHERS = (0.58, 0.77, 0.80, 0.85)
BESIDE_OTHERS_IN_TITLE = 0.91
PEOPLE_BESIDE_OTHERS = (0.0, 0.55, 0.69, 0.85)
BY_CLINIC_ALONE = 0.89
PEOPLE = frozenset(PEOPLE_WORDS.split())
CLINIC = frozenset(CLINIC_WORDS.split())


@dataclass(frozen=True, slots=True)
class NamedSpecies:
    """One organism: its id in the NCBI Taxonomy and its names, the scientific one first."""

    taxon: int
    names: tuple[str, ...]


def parse_species_table(tsv_lines: Iterable[str]) -> list[NamedSpecies]:
    """The organisms in a tab-separated table with the columns COLUMNS; common and words are lists separated by "|".

    Raises ValueError when a column is missing or a taxon is not a number.
    """
    table = csv.DictReader(tsv_lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    missing = [column for column in COLUMNS if column not in (table.fieldnames or ())]
    if missing:
        raise ValueError(f"The table of species has no column {missing[0]!r}.")
    return [_parse_species_row(row) for row in table]


def _parse_species_row(row: dict[str, str]) -> NamedSpecies:
    names = (row["name"], *row["common"].split("|"), *row["words"].split("|"))
    return NamedSpecies(int(row["taxon"]), tuple(name for name in names if name))


class SpeciesDictionary:
    """Finds the names of organisms in a text: whole words, longest first, in any case, singular or plural."""

    def __init__(self, organisms: Iterable[NamedSpecies]) -> None:
        self.taxa: dict[tuple[str, ...], int] = {}
        for organism in organisms:
            for name in (*organism.names, *_iter_abbreviated_names(organism.names[:1])):
                self.taxa.setdefault(_split_singular_words(name), organism.taxon)

    def annotate(self, article: KitArticle) -> list[AnnotationData]:
        """One annotation for each organism, by falling confidence: the share of such annotations that were correct."""
        title_taxa, counts = set(self.iter_taxa(article.title)), Counter(self.iter_taxa(article.text))
        if not counts and any(word in CLINIC for word in _split_singular_words(article.text)):
            return [_make_taxon_annotation(HUMAN, BY_CLINIC_ALONE)]
        alone = len(counts) == 1
        confidences = {
            taxon: _estimate_taxon_confidence(taxon, count, taxon in title_taxa, alone)
            for taxon, count in counts.items()
        }
        ranked = sorted(confidences, key=lambda taxon: -confidences[taxon])
        return [_make_taxon_annotation(taxon, confidences[taxon]) for taxon in ranked if confidences[taxon]]

    def iter_taxa(self, text: str) -> Iterator[int]:
        """The taxon of each name in the text, in order of appearance; words for people yield the human taxon."""
        words = _split_singular_words(text)
        position = 0
        while position < len(words):
            length = self.count_longest_name_words(words, position)
            if length:
                yield self.taxa[words[position : position + length]]
            elif words[position] in PEOPLE:
                yield HUMAN
            position += length or 1

    def count_longest_name_words(self, words: tuple[str, ...], position: int) -> int:
        """The number of words of the longest name that begins at this position, 0 for none."""
        lengths = range(min(LONGEST_NAME, len(words) - position), 0, -1)
        return next((length for length in lengths if words[position : position + length] in self.taxa), 0)


def _split_singular_words(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, without a plural s."""
    return tuple(make_singular(word) for word in WORD.findall(text))


def make_singular(word: str) -> str:
    """The word in lower case without a plural s; capitals stay, since CAT is an enzyme, and RAT is a test."""
    if word.isupper() and len(word) > 1:
        return word
    word = word.lower()
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _iter_abbreviated_names(names: Iterable[str]) -> Iterator[str]:
    """E. coli for Escherichia coli; nothing for names of one word or of more than two."""
    for name in names:
        genus, *rest = name.split()
        if len(rest) == 1:
            yield f"{genus[0]}. {rest[0]}"


def _estimate_taxon_confidence(taxon: int, count: int, in_title: bool, alone: bool) -> float:
    """The confidence in (0, 1], or 0 for an organism that should not be reported; count is its number of mentions."""
    index = min(count, len(ALONE)) - 1
    if alone:
        return ALONE_IN_TITLE if in_title else ALONE[index]
    if taxon == HUMAN:
        return PEOPLE_BESIDE_OTHERS[index]
    return BESIDE_OTHERS_IN_TITLE if in_title else BESIDE_OTHERS[index]


def _make_taxon_annotation(taxon: int, confidence: float) -> AnnotationData:
    return AnnotationData(Kind.TAXON, database="ncbitaxon", identifier=str(taxon), confidence=confidence)
