"""Seconds per article against score: what an answer costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

# A server has ten minutes for an article.
LIMIT = 600.0


@dataclass(frozen=True, slots=True)
class TimeAndScore:
    """seconds per article: mean, median and slowest; share: the mean as a share of the time allowed.

    best: no other producer is both as fast on average and as good, and better in one of the two.
    """

    producer: str
    score: float
    mean: float
    median: float
    slowest: float
    share: float
    best: bool


def time_against_score(
    seconds: Mapping[str, Sequence[float]], scores: Mapping[str, float], limit: float = LIMIT
) -> list[TimeAndScore]:
    """One row for each producer that has both times {producer: seconds of each article} and a score, fastest first.

    Equally fast ones by score, best first, then by name. Higher scores are better.
    """
    means = {name: fmean(own) for name, own in seconds.items() if own and name in scores}
    rows = [
        TimeAndScore(
            name,
            scores[name],
            mean,
            median(seconds[name]),
            max(seconds[name]),
            mean / limit,
            not any(beats(means[other], scores[other], mean, scores[name]) for other in means),
        )
        for name, mean in means.items()
    ]
    return sorted(rows, key=lambda row: (row.mean, -row.score, row.producer))


def beats(other_time: float, other_score: float, time: float, score: float) -> bool:
    return other_time <= time and other_score >= score and (other_time < time or other_score > score)
