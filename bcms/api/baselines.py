"""Baselines of a task in a phase, made by its organizers by REST."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.kinds import Kind
from bcms.api.organized import REFUSED, Organized, valid
from evaluation.baselines import make_baselines
from evaluation.models import Run


class BaselineAsked(serializers.Serializer):
    proteins = serializers.IntegerField(
        required=False, help_text="id of the run of genes and proteins that are paired, for a task of pairs"
    )


class BaselineMade(serializers.ModelSerializer):
    class Meta:
        model = Run
        fields = ["id", "name", "sort"]


class MakeBaselines(Organized):
    @extend_schema(
        summary="Make the baselines of a task",
        operation_id="challenges_phases_baselines",
        request=BaselineAsked,
        responses={200: BaselineMade(many=True), **REFUSED},
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """Runs without a rank, in the place of those made before; their scores follow within seconds."""
        found = self.phase()
        own = get_object_or_404(found.challenge.tasks, name=task)
        chosen = valid(BaselineAsked, request).get("proteins")
        runs = found.runs.filter(task__kind=Kind.NORMALIZATION, withdrawn__isnull=True)
        proteins = None if chosen is None else runs.filter(pk=chosen).first()
        if chosen is not None and proteins is None:
            raise ValidationError({"proteins": "The phase has no such run of genes and proteins; name another."})
        return Response(BaselineMade(make_baselines(own, found, proteins), many=True).data)
