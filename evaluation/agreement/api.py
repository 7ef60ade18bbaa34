"""Inter-annotator agreement and overlap of producers over a corpus, by REST."""

import re
from dataclasses import asdict
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.schema import Kind
from bcms.lib.rest.query_parameters import read_choice_parameter
from evaluation.agreement.candidates import list_comparison_candidates
from evaluation.agreement.comparison import ProducerComparison, get_cached_comparison
from evaluation.agreement.comparison_choice import (
    MAX_COMPARED_PRODUCERS,
    ComparisonChoice,
    read_comparison_choice_counting_unknown,
)
from evaluation.visibility import list_producers_in_rest, list_visible_corpora
from servers.review.reader_choice import UNREVIEWED_PARAMETER

PRODUCER_ID = {"type": "integer", "minimum": 1}
POSITIVE_NUMBER = re.compile(r"0*[1-9]\d*", re.ASCII)
COMPARISON_PARAMETERS = [
    OpenApiParameter(
        "kind",
        enum=[kind.value for kind in Kind],
        description="default: the kind that most producers have annotated",
    ),
    OpenApiParameter(
        "producer",
        {"type": "array", "items": PRODUCER_ID, "maxItems": MAX_COMPARED_PRODUCERS},
        description=f"ids from the list, at most {MAX_COMPARED_PRODUCERS}",
    ),
    OpenApiParameter("gold", PRODUCER_ID, description="id of a gold standard to compare the overlap with"),
    OpenApiParameter(
        "type",
        description="a type of mentions, entities or relations, or a set of labels, in any spelling: compare only the "
        "producers that report it, by what they report of it; default: all types",
    ),
    UNREVIEWED_PARAMETER,
]


class CandidateInList(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    sort = serializers.CharField()
    kind = serializers.CharField()
    articles = serializers.IntegerField(help_text="articles of the corpus that it has answered")


class IntervalsField(serializers.DictField):
    """95 % intervals of the figures of an agreement."""

    child = serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2)

    def __init__(self, figures: str = "joint, kappa, f1", **kwargs: Any) -> None:
        help_text = (
            f"95 % interval [low, high] by the name of the figure: {figures}. Articles are resampled, each with all of "
            "its annotations; a figure has none if fewer than two articles have instances."
        )
        super().__init__(help_text=help_text, **kwargs)


class AgreementOfTwo(serializers.Serializer[Any]):
    """A value is null where it is 0/0; kappa also for identifiers when only two producers are compared."""

    instances = serializers.IntegerField()
    joint = serializers.FloatField(allow_null=True, help_text="joint probability of agreement")
    kappa = serializers.FloatField(allow_null=True, help_text="Cohen's kappa")
    f1 = serializers.FloatField(allow_null=True)
    intervals = IntervalsField()


class PairCompared(AgreementOfTwo):
    first = serializers.CharField()
    second = serializers.CharField()


class ProducerItself(AgreementOfTwo):
    """Agreement of a producer with itself, if it answered twice."""

    name = serializers.CharField()


class RegionOfOverlap(serializers.Serializer[Any]):
    """The items that exactly these producers report; right: how many of them are in the gold standard."""

    producers = serializers.ListField(child=serializers.CharField())
    items = serializers.IntegerField()
    right = serializers.IntegerField(allow_null=True)


class TypeCompared(serializers.Serializer[Any]):
    """The agreement of the producers that report a type, for what they report of it; null with one producer.

    articles: articles that all of them answered.
    """

    type = serializers.CharField()
    producers = serializers.ListField(child=serializers.CharField())
    articles = serializers.IntegerField()
    instances = serializers.IntegerField(allow_null=True)
    mean_f1 = serializers.FloatField(allow_null=True)
    fleiss_kappa = serializers.FloatField(allow_null=True)


class ProducersCompared(serializers.Serializer[Any]):
    """lost: number of requested producers that do not exist or that you cannot see.

    articles: articles that all producers answered; missed: items of the gold standard that no producer reports. Both
    and fleiss_kappa are null if no producers were requested. type: the one that all other members but types are about,
    null for all types; if no producer reports it, nothing is compared. types: the types that the producers report, at
    most 30, those of most producers first; send one as type for its pairs and regions.
    """

    kind = serializers.CharField(allow_null=True)
    type = serializers.CharField(allow_null=True)
    candidates = CandidateInList(many=True)
    lost = serializers.IntegerField()
    articles = serializers.IntegerField(allow_null=True)
    pairs = PairCompared(many=True)
    fleiss_kappa = serializers.FloatField(allow_null=True)
    itself = ProducerItself(many=True)
    regions = RegionOfOverlap(many=True)
    missed = serializers.IntegerField(allow_null=True)
    types = TypeCompared(many=True)


class CorpusComparison(APIView):
    query_parameters = ("gold", "kind", "producer", "type", "unreviewed")

    @extend_schema(
        summary="Compare producers over a corpus", parameters=COMPARISON_PARAMETERS, responses=ProducersCompared
    )
    def get(self, request: Request, slug: str) -> Response:
        """Inter-annotator agreement between servers, runs, authors, curators and gold standards, agreement of each with
        itself, and the overlap of their annotations."""
        corpus = get_object_or_404(list_visible_corpora(request.user), slug=slug)
        _check_comparison_parameters(request)
        candidates = list_comparison_candidates(corpus, list_producers_in_rest(request))
        choice = read_comparison_choice_counting_unknown(request.query_params, candidates)
        comparison = (
            get_cached_comparison(corpus, choice.kind, choice.producers, choice.gold)
            if choice.kind and choice.producers
            else None
        )
        body = {"kind": choice.kind, "candidates": candidates, "lost": choice.lost}
        return Response(ProducersCompared({**body, **_build_comparison_data(comparison, choice)}).data)


def _check_comparison_parameters(request: Request) -> None:
    """ValidationError for an unknown kind, for ids that are not positive numbers, and for too many; unknown ids are
    counted as lost.
    """
    read_choice_parameter(request, "kind", Kind)
    for name in ("producer", "gold"):
        if not all(POSITIVE_NUMBER.fullmatch(text) for text in request.query_params.getlist(name)):
            raise ValidationError({name: "Send the number of a producer, as in candidates."})
    if len(request.query_params.getlist("producer")) > MAX_COMPARED_PRODUCERS:
        raise ValidationError({"producer": [f"Choose at most {MAX_COMPARED_PRODUCERS} producers."]})


def _build_comparison_data(comparison: ProducerComparison | None, choice: ComparisonChoice) -> dict[str, Any]:
    """The comparison of the chosen type or of all, as ProducersCompared sends it; None: nothing was compared."""
    types = comparison.by_type if comparison else {}
    chosen_type: str | None = None
    if choice.type and choice.kind and comparison:
        chosen_type = comparison.find_type(choice.kind, choice.type)
        comparison = types.get(chosen_type or "")
    return {
        "type": chosen_type or choice.type or None,
        "types": [_build_type_data(name, own) for name, own in types.items()],
        **_build_agreement_data(comparison),
    }


def _build_type_data(name: str, comparison: ProducerComparison) -> dict[str, Any]:
    agreement = comparison.agreements
    return {
        "type": name,
        "producers": comparison.names,
        "articles": comparison.articles,
        "instances": agreement.instances if agreement else None,
        "mean_f1": agreement.mean_f1 if agreement else None,
        "fleiss_kappa": agreement.fleiss if agreement else None,
    }


def _build_agreement_data(comparison: ProducerComparison | None) -> dict[str, Any]:
    agreement, overlap = (comparison.agreements, comparison.overlap) if comparison else (None, None)
    names = comparison.names if comparison else ()
    pairs, intervals = (agreement.pairs, agreement.intervals) if agreement else ({}, {})
    regions = overlap.regions if overlap else ()
    repeated = comparison.itself if comparison else ()
    return {
        "articles": comparison.articles if comparison else None,
        "pairs": [
            {"first": names[a], "second": names[b], **asdict(pair), "intervals": intervals[a, b]}
            for (a, b), pair in pairs.items()
        ],
        "fleiss_kappa": agreement.fleiss if agreement else None,
        "itself": [{"name": one.name, **asdict(one.agreement), "intervals": one.intervals} for one in repeated],
        "regions": [{**asdict(region), "producers": [names[p] for p in region.producers]} for region in regions],
        "missed": overlap.missed if overlap else None,
    }
