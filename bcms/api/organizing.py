"""How organizers set a challenge up, by REST: its rules, tasks, corpora, phases, gold standards, and who takes part."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.formats.errors import RefusedFileError
from annotations.kinds import Kind
from bcms.api.challenges import ChallengeList, ChallengeWithParts, with_parts
from bcms.api.organized import (
    REFUSED,
    REFUSED_FILE,
    CorpusMade,
    EntrantOfChallenge,
    GoldStored,
    NewChallenge,
    NewCorpus,
    NewOrganizer,
    NewPhase,
    NewTask,
    Organized,
    OrganizerOfChallenge,
    PhaseInFull,
    RulesOfChallenge,
    RulesOfPhase,
    SentGold,
    TeamJudged,
    TeamNamed,
    phase_form,
    saved,
    valid,
)
from bcms.problems import Conflict, RefusedFile
from evaluation import appointing, challenges, entrants, setting_up
from evaluation.forms import ChallengeForm, CorpusForm, TaskForm
from evaluation.gold import store_gold
from evaluation.gold_uploads import InMemoryOnly
from evaluation.mentions.alternatives import AlternativesFile
from evaluation.models import Challenge, Task
from evaluation.organizers.forms import OrganizerForm, RulesForm
from evaluation.organizers.pages import tell_queues
from servers.models import Team


class Challenges(ChallengeList):
    """All challenges with their tasks and phases, the newest first."""

    @extend_schema(summary="Set up a challenge", request=NewChallenge, responses={201: ChallengeWithParts})
    def post(self, request: Request) -> Response:
        """A new challenge, organized by you."""
        if not challenges.may_create(request.user):
            raise PermissionDenied("Only staff and those with the right to add challenges may: ask the administrator.")
        data = saved(ChallengeForm(valid(NewChallenge, request)))
        made = challenges.create_challenge(data["name"], data["slug"], data["description"], request.user)
        return Response(with_parts(made), status=status.HTTP_201_CREATED)


class ChallengeRules(Organized):
    @extend_schema(summary="Read the rules of a challenge", responses=RulesOfChallenge)
    def get(self, request: Request, slug: str) -> Response:
        """Who may enter, and the terms."""
        return Response(RulesOfChallenge(self.challenge()).data)

    @extend_schema(summary="Change the rules of a challenge", request=RulesOfChallenge, responses=RulesOfChallenge)
    def put(self, request: Request, slug: str) -> Response:
        """Its name, who may enter, whether each team is approved, and the terms."""
        found = self.challenge()
        form = RulesForm(valid(RulesOfChallenge, request), instance=found)
        saved(form)
        form.save()
        return Response(RulesOfChallenge(found).data)


class TaskMaking(Organized):
    @extend_schema(summary="Add a task", request=NewTask, responses={201: ChallengeWithParts, **REFUSED})
    def post(self, request: Request, slug: str) -> Response:
        """A task of one kind, with the measure that orders its leaderboard and further ones."""
        found = self.challenge()
        data = saved(TaskForm(found, valid(NewTask, request)))
        more = {name: data[name] for name in ("note", "primary", "further")}
        challenges.add_task(found, data["name"], Kind(data["kind"]), data["title"], **more)
        return Response(with_parts(found), status=status.HTTP_201_CREATED)


class TaskChanging(Organized):
    def task(self) -> Task:
        return get_object_or_404(self.challenge().tasks.select_related("challenge"), name=self.kwargs["task"])

    @extend_schema(summary="Change a task", request=NewTask, responses={200: ChallengeWithParts, **REFUSED})
    def put(self, request: Request, slug: str, task: str) -> Response:
        """All of it; name and kind as long as it has neither gold standard nor runs, measures until it is published."""
        found = self.task()
        data = saved(TaskForm(found.challenge, valid(NewTask, request), instance=found))
        setting_up.change_task(found, **{**data, "kind": Kind(data["kind"])})
        return Response(with_parts(found.challenge))

    @extend_schema(summary="Remove a task", responses={204: None, **REFUSED})
    def delete(self, request: Request, slug: str, task: str) -> Response:
        """With its gold standards, as long as it has no runs and nothing of it is published."""
        setting_up.remove_task(self.task())
        return Response(status=status.HTTP_204_NO_CONTENT)


class CorpusMaking(Organized):
    @extend_schema(summary="Add a corpus", request=NewCorpus, responses={201: CorpusMade})
    def post(self, request: Request, slug: str) -> Response:
        """A corpus of articles that are in the database already, in this order."""
        found, sent = self.challenge(), valid(NewCorpus, request)
        data = saved(CorpusForm(found, {**sent, "articles": "\n".join(sent["articles"])}))
        fields = [data["name"], data["slug"], data["description"], data["articles"]]
        made = challenges.create_corpus(found, *fields, blind=data["blind"])
        articles = {"slug": made.slug, "articles": len(data["articles"])}
        return Response(CorpusMade(articles).data, status=status.HTTP_201_CREATED)


class PhaseMaking(Organized):
    @extend_schema(summary="Add a phase", request=NewPhase, responses={201: PhaseInFull, **REFUSED})
    def post(self, request: Request, slug: str) -> Response:
        """A training, development or test phase over a corpus."""
        found, sent = self.challenge(), valid(NewPhase, request)
        corpus = challenges.corpora_for(found, request.user).filter(slug=sent["corpus"]).first()
        if corpus is None:
            raise ValidationError({"corpus": "There is no such corpus that this challenge may use."})
        made = challenges.add_phase(found, sent["sort"], corpus, sent.get("closes"), sent.get("opens"))
        return Response(PhaseInFull(made).data, status=status.HTTP_201_CREATED)


class PhaseRules(Organized):
    @extend_schema(summary="Read a phase", responses=PhaseInFull)
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """Its dates, rules and state."""
        return Response(PhaseInFull(self.phase()).data)

    @extend_schema(summary="Change the rules of a phase", request=RulesOfPhase, responses=PhaseInFull)
    def put(self, request: Request, slug: str, phase: str) -> Response:
        """All of its rules; its end is moved by move-end, with a reason."""
        found = self.phase()
        form = phase_form(found, valid(RulesOfPhase, request))
        saved(form)
        form.save()
        tell_queues(found)
        return Response(PhaseInFull(found).data)

    @extend_schema(summary="Remove a phase", responses={204: None, **REFUSED})
    def delete(self, request: Request, slug: str, phase: str) -> Response:
        """With its gold standards, as long as it has no runs and is not published; its corpus stays."""
        setting_up.remove_phase(self.phase())
        return Response(status=status.HTTP_204_NO_CONTENT)


class GoldUpload(Organized):
    parser_classes = [MultiPartParser]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        request.upload_handlers = [InMemoryOnly(request)]
        return super().dispatch(request, *args, **kwargs)

    @extend_schema(
        summary="Upload a gold standard",
        request={"multipart/form-data": SentGold},
        responses={201: GoldStored, **REFUSED_FILE},
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """Checked like a run, and refused with every fault. That of a test is sealed before it is stored."""
        found, sent = self.phase(), valid(SentGold, request)
        of_task = get_object_or_404(found.challenge.tasks, name=task)
        file, other = sent["file"], sent.get("alternatives")
        more = AlternativesFile(other.read(), other.name) if other else None
        try:
            gold = store_gold(of_task, found, file.read(), file.name, more, sent["source"])
        except RefusedFileError as error:
            fields = {other.name: "alternatives", file.name: "file"} if other else {}
            raise RefusedFile(error.faults, fields) from None
        return Response(GoldStored(gold).data, status=status.HTTP_201_CREATED)


class Organizers(Organized):
    @extend_schema(summary="List the organizers of a challenge", responses=OrganizerOfChallenge(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """By their user names."""
        return Response(OrganizerOfChallenge(self.challenge().organizers.order_by("username"), many=True).data)

    @extend_schema(
        summary="Name an organizer", request=NewOrganizer, responses={200: OrganizerOfChallenge(many=True), **REFUSED}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Who is told so by mail; with released: true somebody organizes the challenge no more, but for the last."""
        found, sent = self.challenge(), valid(NewOrganizer, request)
        if sent["released"]:
            appointing.release(found, sent["organizer"], request.user)
        else:
            appointing.appoint(found, saved(OrganizerForm(sent))["organizer"], request.user)
        return Response(OrganizerOfChallenge(found.organizers.order_by("username"), many=True).data)


class Entrants(Organized):
    @extend_schema(summary="List the teams of a challenge", responses=EntrantOfChallenge(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Who has accepted the terms, and who is approved."""
        rows = self.challenge().entrants.select_related("team").order_by("team__name")
        return Response(EntrantOfChallenge(rows, many=True).data)

    @extend_schema(summary="Approve a team", request=TeamJudged, responses=EntrantOfChallenge)
    def post(self, request: Request, slug: str) -> Response:
        """Let a team take part, or name it; with approved: false it enters and uploads nothing more."""
        found, sent = self.challenge(), valid(TeamJudged, request)
        team = get_object_or_404(Team, slug=sent["team"])
        if sent["approved"]:
            entrants.approve(found, team, request.user)
        elif not entrants.disapprove(found, team):
            raise Conflict(f"{team} was not approved.")
        return Response(EntrantOfChallenge(entrants.entrant_of(found, team)).data)


class JoinChallenge(Organized):
    @extend_schema(
        summary="Accept the terms of a challenge", request=TeamNamed, responses={200: EntrantOfChallenge, **REFUSED}
    )
    def post(self, request: Request, slug: str) -> Response:
        """For one of your teams; where organizers approve each team, it asks them to."""
        found = get_object_or_404(Challenge, slug=slug)
        team = get_object_or_404(Team, slug=valid(TeamNamed, request)["team"])
        return Response(EntrantOfChallenge(entrants.join(found, team, request.user)).data)
