"""How organizers steer the phases of a challenge, by REST: try it out, watch, begin, end, freeze, publish."""

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.api.organized import (
    REFUSED,
    ArticleExcluded,
    ArticleNamed,
    DryRunMade,
    GoldStored,
    MatrixOfPhase,
    NewEnd,
    Organized,
    PhaseInFull,
    Reason,
    valid,
)
from evaluation import challenges, phases, publishing
from evaluation.dry_run import dry_run
from evaluation.models import Phase
from evaluation.organizers.matrix import matrix


class Steering(Organized):
    """One action on a phase."""

    def told(self, phase: Phase) -> Response:
        phase.refresh_from_db()
        return Response(PhaseInFull(phase).data)


class BeginPhase(Steering):
    @extend_schema(summary="Begin a phase at once", request=Reason, responses={200: PhaseInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Before its date, with a reason, which everybody reads; one that is open stays as it is."""
        found = self.phase()
        phases.begin_now(found, request.user, valid(Reason, request)["reason"])
        return self.told(found)


class EndPhase(Steering):
    @extend_schema(summary="End a phase at once", request=Reason, responses={200: PhaseInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Before its date, with a reason, which everybody reads; one that is over stays as it is."""
        found = self.phase()
        phases.end_now(found, request.user, valid(Reason, request)["reason"])
        return self.told(found)


class FreezePhase(Steering):
    @extend_schema(summary="Freeze a phase", request=Reason, responses={200: PhaseInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Nothing goes in and nobody is asked, until it is thawed."""
        found = self.phase()
        phases.freeze(found, request.user, valid(Reason, request)["reason"])
        return self.told(found)


class ThawPhase(Steering):
    @extend_schema(summary="Let a frozen phase go on", request=None, responses={200: PhaseInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """The opposite of freeze."""
        found = self.phase()
        phases.thaw(found, request.user)
        return self.told(found)


class MovePhaseEnd(Steering):
    @extend_schema(summary="Move the end of a phase", request=NewEnd, responses={200: PhaseInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """With a reason, which everybody reads; a phase that had ended goes on."""
        found, sent = self.phase(), valid(NewEnd, request)
        phases.move_end(found, sent["closes"], request.user, sent["reason"])
        return self.told(found)


class ExcludeArticle(Steering):
    @extend_schema(summary="Exclude an article", request=ArticleExcluded, responses={200: PhaseInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """It counts for nobody; every run is scored again."""
        found, sent = self.phase(), valid(ArticleExcluded, request)
        phases.exclude(found, phases.article_named(found, sent["article"]), request.user, sent["reason"])
        return self.told(found)


class IncludeArticle(Steering):
    @extend_schema(summary="Let an article count again", request=ArticleNamed, responses={200: PhaseInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """The opposite of exclude."""
        found, sent = self.phase(), valid(ArticleNamed, request)
        phases.include(found, phases.article_named(found, sent["article"]), request.user)
        return self.told(found)


class RescorePhase(Steering):
    @extend_schema(summary="Score a phase again", request=None, responses={200: PhaseInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Every run, whatever has changed; earlier scores stay."""
        found = self.phase()
        phases.rescore(found, request.user)
        return self.told(found)


class PublishPhase(Steering):
    @extend_schema(summary="Publish a phase", request=None, responses={200: PhaseInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """At once, or as soon as the scoring worker has opened what is sealed; publish_fault says why it could not."""
        found = self.phase()
        challenges.publish(found)
        return self.told(found)


class PublishTask(Steering):
    @extend_schema(
        summary="Publish a task of a phase",
        operation_id="challenges_phases_publish_task",
        request=None,
        responses={200: GoldStored, **REFUSED},
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """Its leaderboard and gold standard alone; runs and articles open with the phase."""
        gold = self.phase().golds.select_related("task", "phase").filter(task__name=task).first()
        if gold is None:
            raise Http404
        publishing.publish_task(gold)
        gold.refresh_from_db()
        return Response(GoldStored(gold).data)


class DryRunOfChallenge(Organized):
    @extend_schema(summary="Try a challenge out", responses=DryRunMade)
    def get(self, request: Request, slug: str) -> Response:
        """Whether everything is there and fits together, and what the test set can tell."""
        return Response(DryRunMade(dry_run(self.challenge())).data)


class PhaseMatrix(Organized):
    @extend_schema(summary="Read the matrix of a phase", responses=MatrixOfPhase)
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """All of its servers by all of its articles, and what keeps servers from getting on."""
        return Response(MatrixOfPhase(matrix(self.phase())).data)
