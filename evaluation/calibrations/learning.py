"""What a run's answers in training and the gold standard teach: a calibration and a FAP cut-off. No database."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.kinds import Finding, Kind
from evaluation.analyses.calibration import Fitted, fitted
from evaluation.analyses.cutoff import Average, Cutoff, cutoff_by_confidence, cutoff_by_rank
from evaluation.measures.columns import GoldColumns, RunColumns, coded
from evaluation.measures.finding_figures import may_be_gene
from evaluation.measures.order import unsureness
from evaluation.plotting.reliability import Reliability, reliability_of

Said = Mapping[int, Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class Learned:
    """raw and held_out: reliability of the confidences as they are and by curves that did not see the answer."""

    fitted: Fitted
    raw: Reliability
    held_out: Reliability
    cutoff: Cutoff | None


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer in an article (by its place), and whether it is right."""

    article: int
    name: str
    finding: Finding
    right: bool


def learn(kind: Kind, articles: Iterable[int], right: Said, said: Said) -> Learned:
    """From what is right and what was said of these articles, by article.

    As in scoring, articles without a right item, databases that the gold standard does not use and mentions of anything
    but genes count for nothing.
    """
    known = [article for article in articles if article in right]
    if kind == Kind.CLASSIFICATION:
        answers, cutoff = calls(known, right, said), None
    else:
        answers, cutoff = listed(known, right, said)
    sure = [each for each in answers if each.finding.confidence is not None]
    confidence = np.array([each.finding.confidence for each in sure], dtype=np.float64)
    correct = np.array([each.right for each in sure], dtype=np.bool_)
    curve = fitted(confidence, correct, np.array([each.article for each in sure], dtype=np.int64))
    raw, held_out = (reliability_of("", some, correct) for some in (confidence, curve.held_out))
    return Learned(curve, raw, held_out, cutoff)


def calls(articles: Sequence[int], right: Said, said: Said) -> list[Answer]:
    """A call is right when it says of the article what the gold standard says."""
    answers = []
    for place, article in enumerate(articles):
        relevant = any(finding.relevant for finding in right[article])
        for finding in said.get(article, ())[:1]:
            answers.append(Answer(place, "", finding, finding.relevant == relevant))
    return answers


def listed(articles: Sequence[int], right: Said, said: Said) -> tuple[list[Answer], Cutoff | None]:
    """The items of the lists in list order, each once, and where to cut them."""
    keys = {article: {finding.key for finding in right[article]} for article in articles if right[article]}
    databases = {finding.database for article in keys for finding in right[article]}
    answers = []
    for place, (article, own) in enumerate(keys.items()):
        counted = [own for own in said.get(article, ()) if own.database in databases and may_be_gene(own)]
        ordered = sorted(counted, key=in_list)
        first = {finding.key: finding for finding in reversed(ordered)}
        answers += [Answer(place, repr(key), first[key], key in own) for key in dict.fromkeys(f.key for f in ordered)]
    return answers, cutoff_of(
        list(keys.values()), answers, macro=bool(answers) and answers[0].finding.kind != Kind.METHOD
    )


def in_list(finding: Finding) -> tuple[object, ...]:
    """Surest first; those that are equally sure by what they name, so that they are learned from in one order."""
    return *unsureness(finding), finding.database, finding.identifier, finding.partner, str(finding.key)


def cutoff_of(keys: Sequence[set[tuple[object, ...]]], answers: Sequence[Answer], *, macro: bool) -> Cutoff | None:
    """By confidence where every answer has one, else by its place in the list; None without an answer."""
    if not answers:
        return None
    gold = [(str(place), repr(key)) for place, own in enumerate(keys) for key in own]
    right = GoldColumns(coded(place for place, _ in gold), coded(name for _, name in gold))
    run = run_of(answers)
    average: Average = "macro" if macro else "micro"
    if run.confidence is None:
        return cutoff_by_rank(right, run, average=average)
    return cutoff_by_confidence(right, run, average=average)


def run_of(answers: Sequence[Answer]) -> RunColumns:
    """The answers as a run in list order; ranks are their places."""
    places: dict[int, int] = {}
    for each in answers:
        places[each.article] = places.get(each.article, 0)
    ranks = []
    for each in answers:
        places[each.article] += 1
        ranks.append(places[each.article])
    sure = [each.finding.confidence for each in answers]
    return RunColumns(
        coded(str(each.article) for each in answers),
        coded(each.name for each in answers),
        np.array(ranks, dtype=np.int64),
        None if None in sure else np.array(sure, dtype=np.float64),
    )
