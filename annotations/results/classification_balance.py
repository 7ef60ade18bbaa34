"""How the yes and no votes on an article's relevance balance, weighted by confidence."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotations.schema import AnnotationData


@dataclass(frozen=True, slots=True)
class ClassificationBalance:
    """The sum of all classifications: position 0 is a certain no by all, 1 a certain yes by all, 0.5 is undecided.

    yes_confidence, no_confidence: the mean confidence of the yes and of the no votes that have one, None if none has.
    """

    position: float
    yes: int
    no: int
    yes_confidence: float | None = None
    no_confidence: float | None = None


def compute_classification_balance(classifications: Iterable[AnnotationData]) -> ClassificationBalance | None:
    """The balance between no (0) and yes (1), None if nobody classified the article.

    Each classification moves the position from the middle by its confidence, or by 1 if it has none.
    """
    votes = [each for each in classifications if each.relevant is not None]
    if not votes:
        return None
    pull = sum((1 if vote.relevant else -1) * (1.0 if vote.confidence is None else vote.confidence) for vote in votes)
    yes = [vote.confidence for vote in votes if vote.relevant]
    no = [vote.confidence for vote in votes if not vote.relevant]
    return ClassificationBalance(
        0.5 + pull / (2 * len(votes)), len(yes), len(no), _mean_or_none(yes), _mean_or_none(no)
    )


def _mean_or_none(confidences: Iterable[float | None]) -> float | None:
    stated = [confidence for confidence in confidences if confidence is not None]
    return sum(stated) / len(stated) if stated else None
