"""Several runs joined to one by votes: what at least so many of them report, best first.

Ranked by votes, then by mean confidence, then by identifier. Cut each run before
(cut_runs.cut_run): every item left in it is a vote.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.analyses.shared_names import SharedNames, shared_names
from evaluation.measures.classification import places_by_name
from evaluation.measures.columns import CallColumns, Coded, Floats, Integers, RunColumns
from evaluation.measures.lists import places, places_of_names
from evaluation.measures.ranking import divide


@dataclass(frozen=True, slots=True)
class Ballot:
    """Every item of every document that a run reports: document, item, votes: int [items]; confidence: float [items],
    the mean over the runs that report it with a confidence, 0 when none does.
    """

    document: Integers
    item: Integers
    votes: Integers
    confidence: Floats


def ensemble(runs: Sequence[RunColumns], votes: int) -> RunColumns:
    """The items with at least this many votes, document by document, ranks from 1.

    confidence: the mean confidence, where every item left has one, else None; it need not fall with the rank. No run
    may report an item twice in a document. ValueError when votes is not between 1 and the number of runs.
    """
    check_votes(votes, len(runs))
    names = shared_names(runs)
    cast = ballot(runs, names)
    kept = np.flatnonzero(cast.votes >= votes)
    document, item, confidence = cast.document[kept], cast.item[kept], cast.confidence[kept]
    by_name = places_of_names(names.items, item)
    order = np.lexsort((by_name, -confidence, -cast.votes[kept], document))
    return RunColumns(
        Coded(names.documents, document[order]),
        Coded(names.items, item[order]),
        rank=places(document[order]) + 1,
        confidence=confidence[order] if (confidence > 0).all() else None,
    )


def ballot(runs: Sequence[RunColumns], names: SharedNames) -> Ballot:
    """The votes of all runs, by document and item."""
    sure = [np.zeros(len(run)) if run.confidence is None else run.confidence for run in runs]
    every, own = np.concatenate([names.keys(run) for run in runs]), np.concatenate(sure)
    keys, place = np.unique(every, return_inverse=True)
    told = np.bincount(place, weights=own > 0, minlength=len(keys))
    mean = mean_of(np.bincount(place, weights=own, minlength=len(keys)), told)
    return Ballot(keys // names.wide, keys % names.wide, np.bincount(place, minlength=len(keys)), mean)


def call_ensemble(runs: Sequence[CallColumns], votes: int) -> CallColumns:
    """Articles that at least this many runs call relevant, the others called not relevant; ranks from 1 in each class.

    Relevant: most votes first; not relevant: fewest votes first; then the highest mean confidence of the runs that say
    so, then by article. Articles are those of any run. ValueError when votes is not between 1 and the number of runs.
    """
    check_votes(votes, len(runs))
    articles = list(dict.fromkeys(article for run in runs for article in run.article))
    yes, sure_yes = called(runs, articles, relevant=True)
    _, sure_no = called(runs, articles, relevant=False)
    relevant = yes >= votes
    surest, ahead = np.where(relevant, sure_yes, sure_no), np.where(relevant, -yes, yes)
    order = np.lexsort((places_by_name(articles), -surest, ahead, ~relevant))
    rank = np.concatenate([np.arange(1, relevant.sum() + 1), np.arange(1, (~relevant).sum() + 1)])
    confidence = surest[order] if (surest > 0).all() else None
    return CallColumns([articles[row] for row in order.tolist()], relevant[order], rank, confidence)


def called(runs: Sequence[CallColumns], articles: Sequence[str], *, relevant: bool) -> tuple[Integers, Floats]:
    """[articles]: how many runs call each one so, and their mean confidence, 0 when none gives one."""
    numbers = {article: number for number, article in enumerate(articles)}
    place = np.array([numbers[article] for run in runs for article in run.article], dtype=np.int64)
    said = np.concatenate([run.relevant for run in runs]) == relevant
    own = np.concatenate([np.zeros(len(run)) if run.confidence is None else run.confidence for run in runs])
    votes = np.bincount(place[said], minlength=len(articles))
    told = np.bincount(place[said], weights=own[said] > 0, minlength=len(articles))
    return votes, mean_of(np.bincount(place[said], weights=own[said], minlength=len(articles)), told)


def mean_of(sums: npt.NDArray[np.generic], numbers: npt.NDArray[np.generic]) -> Floats:
    """Mean confidences, 0 of none, without the last digits, so that 0.1 and 0.2 tie with 0.15 twice."""
    return np.round(divide(sums, numbers), 12)


def check_votes(votes: int, runs: int) -> None:
    if not 1 <= votes <= runs:
        raise ValueError(f"{votes} votes of {runs} runs cannot be asked for; give a number from 1 to {runs}.")
