"""What the weekly report of a team says: about its servers, its scores, and the phases that come."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q

from evaluation.challenges.models import ChallengeState, Phase
from evaluation.scoring.visible_scores import VisibleScore, list_new_scores_of_team
from servers.availability.measures.answer_rates_and_times import AnswerTotals
from servers.availability.measures.windows import Window
from servers.availability.queries import PublishedServer, list_servers_with_figures_by_name
from servers.availability.wording import format_response_time, format_share_as_percent_rounded_down
from servers.calls.models import Call
from servers.calls.states import CallState
from servers.notifications.site_links import build_site_url
from servers.registry.models import Server
from servers.teams.models import Team
from servers.teams.permissions import User

WEEK = timedelta(days=7)
AHEAD = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class ServerLines:
    """A server with what happened to it in a week, as sentences."""

    name: str
    state: str
    sentences: Sequence[str]
    link: str


@dataclass(frozen=True, slots=True)
class PhaseDate:
    """The beginning or the end of a phase that comes."""

    phase: Phase
    begins: bool
    at: datetime
    link: str


@dataclass(frozen=True, slots=True)
class TeamReport:
    servers: Sequence[ServerLines]
    scores: Sequence[tuple[VisibleScore, str]]
    dates: Sequence[PhaseDate]

    @property
    def is_empty(self) -> bool:
        return not (self.servers or self.scores or self.dates)


def build_team_report(team: Team, reader: User, now: datetime) -> TeamReport:
    """What the reader, who is a member, may know. 7 queries at most."""
    scores = list_new_scores_of_team(team, reader, now - WEEK, now)
    return TeamReport(
        _list_server_lines(team), [(score, _link_leaderboard(score)) for score in scores], _list_coming_dates(team, now)
    )


def _list_server_lines(team: Team) -> list[ServerLines]:
    listed = list_servers_with_figures_by_name(Server.objects.filter(team=team))
    calls = Call.objects.filter(queue__server__team=team, state=CallState.WAITING).order_by()
    waiting = dict(calls.values_list("queue__server").annotate(Count("pk")))
    return [
        ServerLines(
            each.server.name,
            each.server.get_state_display(),
            list(_iter_sentences(each, waiting.get(each.server.pk, 0))),
            build_site_url("server", each.server.slug),
        )
        for each in listed
    ]


def _iter_sentences(listed: PublishedServer, waiting: int) -> Sequence[str]:
    week = listed.get_window_figures(Window.WEEK)
    answers, share = week.answers, week.uptime.availability
    sentences = [] if share is None else [f"Available {format_share_as_percent_rounded_down(share)} of the time."]
    sentences.append(_describe_answers(answers))
    if failures := _describe_failures(answers):
        sentences.append(failures)
    if waiting:
        sentences.append(f"{waiting:,} article{'' if waiting == 1 else 's'} waiting.")
    return sentences


def _describe_answers(answers: AnswerTotals) -> str:
    if not answers.responses:
        return "No answers."
    empty = f", {answers.empty:,} of them empty" if answers.empty else ""
    median = format_response_time(answers.percentiles.get(50))
    return f"{answers.responses:,} answer{'' if answers.responses == 1 else 's'}{empty}; half of them within {median}."


def _describe_failures(answers: AnswerTotals) -> str:
    """How many attempts failed, and why; empty for none."""
    causes = {
        "invalid answer": answers.invalid,
        "no connection": answers.connection,
        "communication": answers.communication,
        "no answer": answers.no_answer,
    }
    named = [f"{cause} {number:,}" for cause, number in causes.items() if number]
    total = sum(causes.values())
    return f"{total:,} failed attempt{'' if total == 1 else 's'}: {', '.join(named)}." if total else ""


def _link_leaderboard(score: VisibleScore) -> str:
    phase = score.run.phase
    return build_site_url("leaderboard", phase.challenge.slug, phase.sort, score.run.task.name)


def _list_coming_dates(team: Team, now: datetime) -> list[PhaseDate]:
    """Of phases of listed challenges in which the team takes part or asked to, soonest first."""
    takes_part = Q(challenge__entrants__team=team) | Q(challenge__phases__runs__team=team)
    coming = Q(opens__gt=now, opens__lte=now + AHEAD) | Q(closes__gt=now, closes__lte=now + AHEAD)
    phases = Phase.objects.filter(takes_part, coming, challenge__state=ChallengeState.LISTED)
    dates = [
        PhaseDate(phase, begins, at, build_site_url("challenge", phase.challenge.slug))
        for phase in phases.select_related("challenge").distinct().order_by("pk")
        for begins, at in ((True, phase.opens), (False, phase.closes))
        if at is not None and now < at <= now + AHEAD
    ]
    return sorted(dates, key=lambda date: (date.at, date.phase.pk, not date.begins))
