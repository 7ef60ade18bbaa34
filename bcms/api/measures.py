"""The measures that runs are scored by, as the registry has them."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation.measures.registry import MEASURES, Measure


class MeasureInList(serializers.Serializer):
    name = serializers.CharField(help_text="the key of its figure on leaderboards")
    label = serializers.CharField()  # type: ignore[assignment]
    title = serializers.CharField()
    formula = serializers.CharField(help_text="in a line to read")
    kinds = serializers.SerializerMethodField(help_text="kinds of annotation that it is for")
    higher_is_better = serializers.BooleanField()
    scored = serializers.BooleanField(help_text="whether a leaderboard has it for every run of these kinds")

    def get_kinds(self, measure: Measure) -> list[str]:
        return sorted(measure.kinds)


class MeasureList(APIView):
    """All measures: those of leaderboards, and those that are computed when asked for."""

    @extend_schema(summary="List measures", operation_id="measures_list", responses=MeasureInList(many=True))
    def get(self, request: Request) -> Response:
        return Response(MeasureInList(MEASURES, many=True).data)
