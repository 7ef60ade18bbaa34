"""Ensembles: several runs combined into one by votes.

Items are ranked by votes, then by mean confidence, then by identifier. Every item of a run is a vote, so cut each run
first (run_truncation.sort_and_truncate_run_lists).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.analyses.shared_names import SharedNames, collect_union_of_names
from evaluation.measures.classification.article_calls import alphabetical_positions
from evaluation.measures.columns import CallColumns, CodedColumn, Floats, Integers, RunColumns
from evaluation.measures.lists.matching import alphabetical_name_position_of_each_row, zero_based_positions_within_lists
from evaluation.measures.lists.ranking import divide_arrays


@dataclass(frozen=True, slots=True)
class EnsembleBallot:
    """The votes for each item of each document.

    document, item, votes: int [items]; confidence: float [items], the mean over the runs that report the item with a
    confidence, 0 when none does.
    """

    document: Integers
    item: Integers
    votes: Integers
    confidence: Floats


def combine_list_runs_by_votes(runs: Sequence[RunColumns], min_votes: int) -> RunColumns:
    """The items with at least this many votes, document by document, ranks from 1.

    Their confidence is the mean confidence if every remaining item has one, else None; it need not fall with the rank.
    No run may report an item twice in a document. ValueError when min_votes is not between 1 and the number of runs.
    """
    _check_vote_threshold(min_votes, len(runs))
    names = collect_union_of_names(runs)
    ballot = _count_ensemble_votes(runs, names)
    kept = np.flatnonzero(ballot.votes >= min_votes)
    document, item, confidence = ballot.document[kept], ballot.item[kept], ballot.confidence[kept]
    by_name = alphabetical_name_position_of_each_row(names.items, item)
    order = np.lexsort((by_name, -confidence, -ballot.votes[kept], document))
    return RunColumns(
        CodedColumn(names.documents, document[order]),
        CodedColumn(names.items, item[order]),
        rank=zero_based_positions_within_lists(document[order]) + 1,
        confidence=confidence[order] if (confidence > 0).all() else None,
    )


def _count_ensemble_votes(runs: Sequence[RunColumns], names: SharedNames) -> EnsembleBallot:
    """The votes of all runs, sorted by document and item."""
    run_confidences = [np.zeros(len(run)) if run.confidence is None else run.confidence for run in runs]
    row_keys, confidences = (
        np.concatenate([names.document_item_keys(run) for run in runs]),
        np.concatenate(run_confidences),
    )
    keys, key_index = np.unique(row_keys, return_inverse=True)
    confident_votes = np.bincount(key_index, weights=confidences > 0, minlength=len(keys))
    mean = _round_mean_confidences(np.bincount(key_index, weights=confidences, minlength=len(keys)), confident_votes)
    return EnsembleBallot(
        keys // names.item_stride, keys % names.item_stride, np.bincount(key_index, minlength=len(keys)), mean
    )


def combine_call_runs_by_votes(runs: Sequence[CallColumns], min_relevant_votes: int) -> CallColumns:
    """Call an article of any run relevant if at least this many runs do; ranks from 1 in each class.

    Relevant articles are ranked by most votes, the others by fewest; then by the highest mean confidence of the runs
    that make the call, then by article. ValueError when min_relevant_votes is not between 1 and the number of runs.
    """
    _check_vote_threshold(min_relevant_votes, len(runs))
    articles = list(dict.fromkeys(article for run in runs for article in run.article))
    relevant_votes, relevant_confidence = _count_call_votes(runs, articles, relevant=True)
    _, other_confidence = _count_call_votes(runs, articles, relevant=False)
    relevant = relevant_votes >= min_relevant_votes
    class_confidence, vote_order = (
        np.where(relevant, relevant_confidence, other_confidence),
        np.where(relevant, -relevant_votes, relevant_votes),
    )
    order = np.lexsort((alphabetical_positions(articles), -class_confidence, vote_order, ~relevant))
    rank = np.concatenate([np.arange(1, relevant.sum() + 1), np.arange(1, (~relevant).sum() + 1)])
    confidence = class_confidence[order] if (class_confidence > 0).all() else None
    return CallColumns([articles[row] for row in order.tolist()], relevant[order], rank, confidence)


def _count_call_votes(
    runs: Sequence[CallColumns], articles: Sequence[str], *, relevant: bool
) -> tuple[Integers, Floats]:
    """[articles]: how many runs make this call on each, and their mean confidence, 0 when none gives one."""
    indexes = {article: index for index, article in enumerate(articles)}
    article_index = np.array([indexes[article] for run in runs for article in run.article], dtype=np.int64)
    is_vote = np.concatenate([run.relevant for run in runs]) == relevant
    confidences = np.concatenate([np.zeros(len(run)) if run.confidence is None else run.confidence for run in runs])
    votes = np.bincount(article_index[is_vote], minlength=len(articles))
    confident_votes = np.bincount(article_index[is_vote], weights=confidences[is_vote] > 0, minlength=len(articles))
    return votes, _round_mean_confidences(
        np.bincount(article_index[is_vote], weights=confidences[is_vote], minlength=len(articles)), confident_votes
    )


def _round_mean_confidences(sums: npt.NDArray[np.generic], numbers: npt.NDArray[np.generic]) -> Floats:
    """Mean confidences, 0 for none, rounded so that 0.1 and 0.2 tie with 0.15 twice."""
    return np.round(divide_arrays(sums, numbers), 12)


def _check_vote_threshold(votes: int, runs: int) -> None:
    if not 1 <= votes <= runs:
        raise ValueError(f"An ensemble of {runs} runs cannot require {votes} votes; give a number from 1 to {runs}.")
