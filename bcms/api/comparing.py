"""Authors, curators and systems over a corpus, by REST: how far they agree, and what they have in common."""

from dataclasses import asdict
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.kinds import Kind
from bcms.pages.comparing import MOST, asked_for
from bcms.visibility import corpora_seen_by, producers_seen_by
from evaluation.answers import candidates_in
from evaluation.comparing import Comparison, compared

PARAMETERS = [
    OpenApiParameter("kind", enum=[kind.value for kind in Kind], description="default: that of most producers"),
    OpenApiParameter("producer", int, many=True, description=f"ids from the list, at most {MOST}"),
    OpenApiParameter("gold", int, description="id of the gold standard that the overlap is held against"),
]


class CandidateInList(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    sort = serializers.CharField()
    kind = serializers.CharField()
    articles = serializers.IntegerField(help_text="of the corpus, that it has answered")


class AgreementOfTwo(serializers.Serializer):
    """Each is null where it is 0/0, kappa also of identifiers without a third producer."""

    instances = serializers.IntegerField()
    joint = serializers.FloatField(allow_null=True, help_text="probability of saying the same")
    kappa = serializers.FloatField(allow_null=True, help_text="Cohen's")
    f1 = serializers.FloatField(allow_null=True)


class PairCompared(AgreementOfTwo):
    first = serializers.CharField()
    second = serializers.CharField()


class ProducerItself(AgreementOfTwo):
    """A producer that answered twice."""

    name = serializers.CharField()


class RegionOfOverlap(serializers.Serializer):
    """What exactly these report; right: how many of that are in the gold standard."""

    producers = serializers.ListField(child=serializers.CharField())
    items = serializers.IntegerField()
    right = serializers.IntegerField(allow_null=True)


class ProducersCompared(serializers.Serializer):
    """lost: producers that were asked for and are not among those that you see. The rest is null without a choice.

    articles: those that all of them answered; missed: items of the gold standard that none reports.
    """

    kind = serializers.CharField(allow_null=True)
    candidates = CandidateInList(many=True)
    lost = serializers.IntegerField()
    articles = serializers.IntegerField(allow_null=True)
    pairs = PairCompared(many=True)
    fleiss_kappa = serializers.FloatField(allow_null=True)
    itself = ProducerItself(many=True)
    regions = RegionOfOverlap(many=True)
    missed = serializers.IntegerField(allow_null=True)


class CorpusComparison(APIView):
    @extend_schema(summary="Compare producers over a corpus", parameters=PARAMETERS, responses=ProducersCompared)
    def get(self, request: Request, slug: str) -> Response:
        """Servers, runs, authors, curators, gold standards: how far they agree with each other and with themselves."""
        corpus = get_object_or_404(corpora_seen_by(request.user), slug=slug)
        candidates = candidates_in(corpus, producers_seen_by(request.user))
        asked = asked_for(request._request, candidates)
        if len(asked.producers) > MOST:
            raise ValidationError({"producer": [f"Compare at most {MOST} at once."]})
        found = compared(corpus, asked.kind, asked.producers, asked.gold) if asked.kind and asked.producers else None
        own = {"kind": asked.kind, "candidates": candidates, "lost": asked.lost}
        names = [each.name for each in asked.producers]
        return Response(ProducersCompared({**own, **values_of(found, names)}).data)


def values_of(found: Comparison | None, names: list[str]) -> dict[str, Any]:
    agreed, shared = (found.agreements, found.overlap) if found else (None, None)
    pairs = agreed.pairs.items() if agreed else ()
    regions = shared.regions if shared else ()
    return {
        "articles": found.articles if found else None,
        "pairs": [{"first": names[a], "second": names[b], **asdict(own)} for (a, b), own in pairs],
        "fleiss_kappa": agreed.fleiss if agreed else None,
        "itself": [{"name": own.name, **asdict(own.agreement)} for own in (found.itself if found else ())],
        "regions": [{**asdict(own), "producers": [names[each] for each in own.producers]} for own in regions],
        "missed": shared.missed if shared else None,
    }
