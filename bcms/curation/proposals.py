"""What the annotation servers propose to a curator of an article: their consensus, with cut-offs and calibration."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.curation.candidate_building import build_candidates
from annotations.curation.candidate_lists import compute_fingerprint, find_candidate_list, store_candidate_list
from annotations.curation.models import CandidateList
from annotations.identifiers.queries import add_stored_or_copied_successor_entries
from annotations.results.consensus.methods import ConsensusRule, MentionMatching, SpanMatching, make_consensus_rule
from annotations.results.models import Producer, Result
from annotations.schema import AnnotationData, Kind
from bcms.article_annotations.calibrated_confidences import (
    LearnedCalibrations,
    add_calibrated_confidences,
    load_newest_visible_calibrations,
)
from bcms.article_annotations.current_annotations import (
    ProducerAnnotations,
    ResolvedAnnotation,
    list_public_producers_of_live_queues,
    load_producer_annotations_and_reported_entries,
)
from evaluation.visibility import ANONYMOUS_READER

DEFAULT_METHOD = "cut_votes"


@dataclass(frozen=True, slots=True)
class ProposalRecipe:
    """Which producers propose, and by which consensus rule; without producers, all accepted servers do."""

    method: str = DEFAULT_METHOD
    threshold: float | None = 1.0
    spans: SpanMatching = SpanMatching.STRICT
    match: MentionMatching = MentionMatching.TYPE
    producers: Sequence[int] = field(default=())


def load_or_build_candidate_list(article: Article, recipe: ProposalRecipe = ProposalRecipe()) -> CandidateList:
    """The candidates of the current annotations: 3 queries if they are stored, 17 to build and store them.

    They are the same for every curator: only what everybody may see is calibrated and cut off.
    """
    # Thousands of annotations are not read only to learn that they are the same as the last time.
    results = list(
        Result.objects.filter(
            article=article,
            text_version=article.text_version,
            producer__in=_list_producers(recipe).values("pk"),
            superseded__isnull=True,
        ).values_list("pk", "producer", "producer__queue__server__slug")
    )
    calibrations = load_newest_visible_calibrations(ANONYMOUS_READER, (server or "" for _, _, server in results))
    stated = _describe_recipe(recipe, (producer for _, producer, _ in results), calibrations)
    fingerprint = compute_fingerprint(article, stated, (pk for pk, _, _ in results))
    return find_candidate_list(article, fingerprint) or _build_candidate_list(article, recipe)


def _build_candidate_list(article: Article, recipe: ProposalRecipe) -> CandidateList:
    # The text may have been replaced since the article was loaded.
    article.refresh_from_db(fields=["text", "text_version"])
    results, reported = load_producer_annotations_and_reported_entries(article, _list_producers(recipe))
    calibrations = load_newest_visible_calibrations(ANONYMOUS_READER, (result.server for result in results))
    stated = _describe_recipe(recipe, (result.producer.pk for result in results), calibrations)
    fingerprint = compute_fingerprint(article, stated, (result.result.id for result in results))
    calibrated = add_calibrated_confidences(results, ANONYMOUS_READER)
    candidates = build_candidates(
        _group_annotations(calibrated),
        lambda kind: _make_rule(recipe, kind, results, calibrations),
        add_stored_or_copied_successor_entries(reported),
        article.text,
    )
    return store_candidate_list(article, stated, fingerprint, candidates)


def _list_producers(recipe: ProposalRecipe) -> QuerySet[Producer]:
    if recipe.producers:
        return Producer.objects.filter(pk__in=recipe.producers)
    return list_public_producers_of_live_queues()


def _group_annotations(results: Sequence[ProducerAnnotations]) -> Mapping[Kind, Mapping[int, Sequence[AnnotationData]]]:
    by_kind: dict[Kind, dict[int, Sequence[AnnotationData]]] = defaultdict(dict)
    for result in results:
        by_kind[result.result.kind][result.producer.pk] = [
            _use_calibrated_confidence(each) for each in result.resolved_annotations
        ]
    return by_kind


def _use_calibrated_confidence(resolved: ResolvedAnnotation) -> AnnotationData:
    if resolved.calibrated is None:
        return resolved.annotation
    # A calibrated confidence may be 0, which no annotation has.
    return replace(resolved.annotation, confidence=max(resolved.calibrated, 1e-6))


def _make_rule(
    recipe: ProposalRecipe, kind: Kind, results: Sequence[ProducerAnnotations], calibrations: LearnedCalibrations
) -> ConsensusRule:
    cuts = {
        result.producer.pk: calibrations.cuts[result.server, kind]
        for result in results
        if result.result.kind == kind and (result.server, kind) in calibrations.cuts
    }
    return make_consensus_rule(recipe.method, recipe.threshold, spans=recipe.spans, match=recipe.match, cuts=cuts)


def _describe_recipe(
    recipe: ProposalRecipe, producers: Iterable[int], calibrations: LearnedCalibrations
) -> dict[str, object]:
    """The recipe as it was applied to the Results of these producers, for the record of what was on screen."""
    cuts = [
        [slug, kind.value, cut.criterion, cut.value]
        for (slug, kind), cut in sorted(calibrations.cuts.items())
        if recipe.method == DEFAULT_METHOD
    ]
    return {
        "producers": sorted(set(producers)),
        "method": recipe.method,
        "threshold": recipe.threshold,
        "spans": recipe.spans.value,
        "match": recipe.match.value,
        "cuts": cuts,
    }
