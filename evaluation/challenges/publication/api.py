"""How organizers publish a phase or one of its tasks, by REST."""

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.challenges.api import CONFLICT_RESPONSE
from evaluation.challenges.phases.api import PhaseActionAPIView, PhaseInFull
from evaluation.challenges.publication.publication_requests import (
    publish_phase_or_request_if_sealed,
    publish_task_or_request_if_sealed,
)
from evaluation.gold.api import GoldStored


class PublishPhase(PhaseActionAPIView):
    @extend_schema(summary="Publish a phase", request=None, responses={200: PhaseInFull, **CONFLICT_RESPONSE})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Now, or as soon as the scoring worker has opened the sealed gold standards. `publish_fault` says why it
        cannot. This cannot be undone."""
        published = self.get_phase()
        publish_phase_or_request_if_sealed(published)
        return self.build_phase_response(published)


class PublishTask(PhaseActionAPIView):
    @extend_schema(
        summary="Publish a task of a phase",
        operation_id="challenges_phases_publish_task",
        request=None,
        responses={200: GoldStored, **CONFLICT_RESPONSE},
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """Only its leaderboard and gold standard; runs and articles are published with the phase. This cannot be
        undone."""
        gold = self.get_phase().golds.select_related("task", "phase").filter(task__name=task).first()
        if gold is None:
            raise Http404
        publish_task_or_request_if_sealed(gold)
        gold.refresh_from_db()
        return Response(GoldStored(gold).data)
