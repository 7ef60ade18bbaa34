"""Seconds per article against score of each producer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

# Seconds: a server has ten minutes for an article.
ARTICLE_TIME_LIMIT = 600.0


@dataclass(frozen=True, slots=True)
class TimeAndScore:
    """mean, median, slowest: seconds per article; share: the mean as a share of the time limit.

    best: no other producer is at least as fast on average and at least as good, and better in one of the two.
    """

    producer: str
    score: float
    mean: float
    median: float
    slowest: float
    share: float
    best: bool


def compare_times_and_scores_fastest_first(
    article_seconds_by_producer: Mapping[str, Sequence[float]],
    score_by_producer: Mapping[str, float],
    time_limit_seconds: float = ARTICLE_TIME_LIMIT,
) -> list[TimeAndScore]:
    """One row for each producer with both times, {producer: seconds of each article}, and a score; fastest first.

    Equally fast producers are sorted by score, best first, then by name. Higher scores are better.
    """
    means = {
        name: fmean(times) for name, times in article_seconds_by_producer.items() if times and name in score_by_producer
    }
    rows = [
        TimeAndScore(
            name,
            score_by_producer[name],
            mean,
            median(article_seconds_by_producer[name]),
            max(article_seconds_by_producer[name]),
            mean / time_limit_seconds,
            not any(
                is_other_pareto_better(means[other], score_by_producer[other], mean, score_by_producer[name])
                for other in means
            ),
        )
        for name, mean in means.items()
    ]
    return sorted(rows, key=lambda row: (row.mean, -row.score, row.producer))


def is_other_pareto_better(other_time: float, other_score: float, time: float, score: float) -> bool:
    return other_time <= time and other_score >= score and (other_time < time or other_score > score)
