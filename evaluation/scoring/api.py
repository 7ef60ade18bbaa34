"""REST: the measures by which runs are scored."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation.measures.registry import MEASURES, Measure


class MeasureInList(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="key of its figure on leaderboards")
    label = serializers.CharField()  # type: ignore[assignment]
    title = serializers.CharField()
    formula = serializers.CharField(help_text="the formula as text")
    kinds = serializers.SerializerMethodField(help_text="kinds of annotation to which it applies")
    higher_is_better = serializers.BooleanField()
    scored = serializers.BooleanField(help_text="whether a leaderboard of these kinds can have it")
    optional = serializers.BooleanField(
        source="is_optional", help_text="whether a leaderboard has it only if its task chooses it"
    )

    def get_kinds(self, measure: Measure) -> list[str]:
        return sorted(measure.kinds)


class MeasureList(APIView):
    """All measures: those of leaderboards, and those that are computed on request."""

    @extend_schema(summary="List measures", operation_id="measures_list", responses=MeasureInList(many=True))
    def get(self, request: Request) -> Response:
        return Response(MeasureInList(MEASURES, many=True).data)
