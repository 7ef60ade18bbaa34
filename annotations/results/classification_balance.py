"""How the yes and no votes on an article's relevance balance, weighted by confidence."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotations.schema import AnnotationData


@dataclass(frozen=True, slots=True)
class ClassificationBalance:
    """The sum of all classifications: position 0 is a certain no by all, 1 a certain yes by all, 0.5 is undecided."""

    position: float
    yes: int
    no: int
    mean_confidence: float | None


def compute_classification_balance(classifications: Iterable[AnnotationData]) -> ClassificationBalance | None:
    """The balance between no (0) and yes (1), None if nobody classified the article.

    Each classification moves the position from the middle by its confidence, or by 1 if it has none.
    """
    votes = [each for each in classifications if each.relevant is not None]
    if not votes:
        return None
    pull = sum((1 if vote.relevant else -1) * (1.0 if vote.confidence is None else vote.confidence) for vote in votes)
    confidences = [vote.confidence for vote in votes if vote.confidence is not None]
    yes = sum(1 for vote in votes if vote.relevant)
    mean = sum(confidences) / len(confidences) if confidences else None
    return ClassificationBalance(0.5 + pull / (2 * len(votes)), yes, len(votes) - yes, mean)
