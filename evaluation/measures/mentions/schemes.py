"""The four schemes of scoring mentions with types: strict, exact, type and partial.

| scheme | correct | half correct | incorrect |
|---|---|---|---|
| strict | same span and type | | any other overlap |
| exact | same span | | any other overlap |
| type | overlap and same type; of several, the closest one | | any other overlap |
| partial | same span | any other overlap | |

Predicted mentions are taken in the order of the text. Each one is paired with the first gold mention, not yet paired,
that makes it correct, else with the first that overlaps; without any, it is spurious. Gold mentions that remain are
missed. Source: SemEval 2013, task 9 (Segura-Bedmar et al. 2013).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.measures.columns import MentionItem
from evaluation.measures.confusion_counts import divide_or_undefined
from evaluation.measures.mentions.mention_items import list_matching_mention_indexes

MentionScheme = Literal["strict", "exact", "type", "partial"]
MENTION_SCHEMES: tuple[MentionScheme, ...] = ("strict", "exact", "type", "partial")
HALF = 0.5


@dataclass(frozen=True, slots=True)
class SchemeCounts:
    """How many mentions are correct, incorrect, half correct, missed and spurious; counts of two sets can be added."""

    correct: int = 0
    incorrect: int = 0
    partial: int = 0
    missed: int = 0
    spurious: int = 0

    def __add__(self, other: "SchemeCounts") -> "SchemeCounts":
        return SchemeCounts(
            self.correct + other.correct,
            self.incorrect + other.incorrect,
            self.partial + other.partial,
            self.missed + other.missed,
            self.spurious + other.spurious,
        )

    @property
    def credit(self) -> float:
        """A point for each correct mention, and half a point for each that is half correct."""
        return self.correct + HALF * self.partial

    @property
    def predicted(self) -> int:
        return self.correct + self.incorrect + self.partial + self.spurious

    @property
    def gold(self) -> int:
        return self.correct + self.incorrect + self.partial + self.missed

    @property
    def precision(self) -> float:
        """(COR + PAR / 2) / (COR + INC + PAR + SPU), 0 without predictions."""
        return divide_or_undefined(self.credit, self.predicted)

    @property
    def recall(self) -> float:
        """(COR + PAR / 2) / (COR + INC + PAR + MIS), 0 without gold mentions."""
        return divide_or_undefined(self.credit, self.gold)

    @property
    def f1(self) -> float:
        """As in analyses/tables/count_tables.py, to the last digit."""
        return divide_or_undefined(2 * self.credit, self.predicted + self.gold)


def count_mentions_by_scheme(
    gold: Sequence[MentionItem], predicted: Sequence[MentionItem], scheme: MentionScheme
) -> SchemeCounts:
    """The counts of one article; the gold mentions are distinct, and so are the predicted ones."""
    gold, predicted = sorted(gold), sorted(predicted)
    free = set(range(len(gold)))
    correct = incorrect = partial = 0
    for mention, overlapping in zip(predicted, list_matching_mention_indexes(gold, predicted, "overlap"), strict=True):
        candidates = [index for index in overlapping if index in free]
        right = [index for index in candidates if _is_correct(gold[index], mention, scheme)]
        if right:
            correct += 1
            free.remove(min(right, key=lambda index: _measure_distance(gold[index], mention)))
        elif candidates:
            partial += scheme == "partial"
            incorrect += scheme != "partial"
            free.remove(candidates[0])
    return SchemeCounts(correct, incorrect, partial, len(free), len(predicted) - correct - incorrect - partial)


def count_mentions_of_all_articles_by_scheme(
    gold_by_article: Mapping[str, Sequence[MentionItem]],
    predicted_by_article: Mapping[str, Sequence[MentionItem]],
    scheme: MentionScheme,
) -> dict[str, SchemeCounts]:
    """{article: counts} for the articles of the gold standard; one without predictions has none."""
    return {
        article: count_mentions_by_scheme(gold, predicted_by_article.get(article, ()), scheme)
        for article, gold in gold_by_article.items()
    }


def _is_correct(gold: MentionItem, predicted: MentionItem, scheme: MentionScheme) -> bool:
    has_right_text = scheme == "type" or gold.parts == predicted.parts
    has_right_name = scheme in ("exact", "partial") or gold.name == predicted.name
    return has_right_text and has_right_name


def _measure_distance(gold: MentionItem, predicted: MentionItem) -> int:
    """How far the two starts and the two ends are from each other."""
    return abs(gold.whole.start - predicted.whole.start) + abs(gold.whole.end - predicted.whole.end)
