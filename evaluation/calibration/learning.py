"""A calibration curve and a FAP cut-off, learned from a run in training and the gold standard. No database."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.schema import AnnotationData, Kind
from evaluation.analyses.calibration_curves import CalibrationFit, fit_calibration_if_better_than_raw_confidences
from evaluation.analyses.cutoff_search import (
    Averaging,
    CutoffSearch,
    search_lowest_confidence_with_best_fap,
    search_lowest_rank_with_best_fap,
)
from evaluation.measures.columns import GoldColumns, RunColumns, encode_column
from evaluation.measures.list_order import sort_key_by_rank_else_confidence
from evaluation.measures.scored_annotations import collect_databases, keep_scored_annotations
from evaluation.plotting.reliability import Reliability, compute_reliability_in_ten_bins

LearnedAnnotations = Mapping[int, Sequence[AnnotationData]]


@dataclass(frozen=True, slots=True)
class LearnedCurveAndCutoff:
    """raw, held_out: reliability of the raw confidences, and of those by curves not learned from the answer."""

    fitted: CalibrationFit
    raw: Reliability
    held_out: Reliability
    cutoff: CutoffSearch | None


@dataclass(frozen=True, slots=True)
class CalibrationAnswer:
    """One answer for an article (its index), and whether it is correct; name: the key of its item, "" for a call."""

    article: int
    name: str
    annotation: AnnotationData
    is_correct: bool


def learn_curve_and_cutoff(
    kind: Kind, articles: Iterable[int], gold_by_article: LearnedAnnotations, predictions_by_article: LearnedAnnotations
) -> LearnedCurveAndCutoff:
    """Learn from the gold standard and the run; both {article: annotations}.

    As in scoring, articles without a gold item, databases that the gold standard does not use and mentions of other
    types than genes are left out.
    """
    judged_articles = [article for article in articles if article in gold_by_article]
    if kind == Kind.CLASSIFICATION:
        answers, cutoff = _list_class_answers(judged_articles, gold_by_article, predictions_by_article), None
    else:
        answers, cutoff = _list_item_answers_and_cutoff(judged_articles, gold_by_article, predictions_by_article)
    confident = [answer for answer in answers if answer.annotation.confidence is not None]
    confidence = np.array([answer.annotation.confidence for answer in confident], dtype=np.float64)
    is_correct = np.array([answer.is_correct for answer in confident], dtype=np.bool_)
    curve = fit_calibration_if_better_than_raw_confidences(
        confidence, is_correct, np.array([answer.article for answer in confident], dtype=np.int64)
    )
    raw, held_out = (
        compute_reliability_in_ten_bins("", confidences, is_correct)
        for confidences in (confidence, curve.held_out_confidences)
    )
    return LearnedCurveAndCutoff(curve, raw, held_out, cutoff)


def _list_class_answers(
    articles: Sequence[int], gold: LearnedAnnotations, predictions: LearnedAnnotations
) -> list[CalibrationAnswer]:
    """The calls; a call is correct when it equals that of the gold standard."""
    answers = []
    for index, article in enumerate(articles):
        relevant = any(annotation.relevant for annotation in gold[article])
        for annotation in predictions.get(article, ())[:1]:
            answers.append(CalibrationAnswer(index, "", annotation, annotation.relevant == relevant))
    return answers


def _list_item_answers_and_cutoff(
    articles: Sequence[int], gold: LearnedAnnotations, predictions: LearnedAnnotations
) -> tuple[list[CalibrationAnswer], CutoffSearch | None]:
    """The items of the lists in list order, each once, and the cut-off of the lists."""
    keys = {article: {annotation.key for annotation in gold[article]} for article in articles if gold[article]}
    databases = collect_databases({article: gold[article] for article in keys})
    answers = []
    for index, (article, gold_keys) in enumerate(keys.items()):
        counted = keep_scored_annotations(predictions.get(article, ()), databases)
        ordered = sorted(counted, key=_compute_answer_sort_key)
        first = {annotation.key: annotation for annotation in reversed(ordered)}
        answers += [
            CalibrationAnswer(index, repr(key), first[key], key in gold_keys)
            for key in dict.fromkeys(annotation.key for annotation in ordered)
        ]
    return answers, _find_answers_cutoff(
        list(keys.values()), answers, macro=bool(answers) and answers[0].annotation.kind != Kind.METHOD
    )


def _compute_answer_sort_key(annotation: AnnotationData) -> tuple[object, ...]:
    """A sort key, surest first; equally sure annotations by their identifiers, so that the order is always the same."""
    return (
        *sort_key_by_rank_else_confidence(annotation),
        annotation.database,
        annotation.identifier,
        annotation.partner,
        str(annotation.key),
    )


def _find_answers_cutoff(
    keys: Sequence[set[tuple[object, ...]]], answers: Sequence[CalibrationAnswer], *, macro: bool
) -> CutoffSearch | None:
    """The cut-off by confidence if every answer has one, else by rank; None without an answer.

    keys: the gold items of each article; macro: whether the macro average is optimized instead of the micro average.
    """
    if not answers:
        return None
    gold_rows = [(str(index), repr(key)) for index, gold_keys in enumerate(keys) for key in gold_keys]
    gold = GoldColumns(encode_column(index for index, _ in gold_rows), encode_column(name for _, name in gold_rows))
    run = _build_answer_columns(answers)
    average: Averaging = "macro" if macro else "micro"
    if run.confidence is None:
        return search_lowest_rank_with_best_fap(gold, run, average=average)
    return search_lowest_confidence_with_best_fap(gold, run, average=average)


def _build_answer_columns(answers: Sequence[CalibrationAnswer]) -> RunColumns:
    """The answers as a run in list order, with ranks from 1."""
    list_lengths: dict[int, int] = {}
    for answer in answers:
        list_lengths[answer.article] = list_lengths.get(answer.article, 0)
    ranks = []
    for answer in answers:
        list_lengths[answer.article] += 1
        ranks.append(list_lengths[answer.article])
    confidences = [answer.annotation.confidence for answer in answers]
    return RunColumns(
        encode_column(str(answer.article) for answer in answers),
        encode_column(answer.name for answer in answers),
        np.array(ranks, dtype=np.int64),
        None if None in confidences else np.array(confidences, dtype=np.float64),
    )
