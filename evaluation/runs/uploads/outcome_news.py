"""Notify a team of the first score of a run, and of what became of an uploaded file."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from evaluation.challenges.announcements.recipients import map_team_members_to_addresses
from evaluation.challenges.followers.unsubscribe_links import build_challenge_mail
from evaluation.challenges.models import ChallengeState, Phase
from evaluation.challenges.webhooks.deliveries import (
    ChallengeNews,
    store_deliveries_to_organizers,
    store_deliveries_to_teams,
)
from evaluation.leaderboards.visibility import list_visible_board_runs
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from servers.inbox.entries import notify_accounts, notify_accounts_once_until_read, notify_team
from servers.notifications.events import ChallengeEvent
from servers.notifications.site_links import build_site_url
from servers.teams.models import Membership, Team
from servers.teams.person_mail import mail_person

# Somebody could upload files and withdraw runs all day.
MOST_DAILY_UPLOADS_WITH_NEWS = 20


def notify_team_of_first_score(run: Run) -> None:
    """On the site and by webhooks, once for each run of a team, and not while scores of a test are hidden.

    A mail becomes due, which mail_due_first_scores writes. A team that uploads one file after the other, and withdraws
    the runs, gets no more mail, and one more entry until it reads it.
    """
    if run.team_id is not None and is_score_shown_to_team(run):
        sentence = _format_first_score(run)
        if run.sort == Run.Source.UPLOAD and _has_too_many_uploads(run.team_id, run.phase):
            _notify_team_once_until_read(run.team_id, run, sentence)
        else:
            notify_team(run.team_id, sentence, reverse("run", args=[run.pk]))
            Run.objects.filter(pk=run.pk).update(first_score_mail_due=True)
        news = _build_run_news(ChallengeEvent.RUN_SCORED, run, sentence)
        store_deliveries_to_teams(news, [run.team_id])


def is_score_shown_to_team(run: Run) -> bool:
    """Not while scores of a test are hidden, and not in a draft."""
    if run.phase.challenge.state == ChallengeState.DRAFT:
        return False
    public = list_visible_board_runs(AnonymousUser(), run.phase).filter(pk=run.pk)
    return run.phase.sort != Phase.Type.TEST or public.exists()


def _format_first_score(run: Run) -> str:
    place = f"{run.task}, {run.phase.sort} phase, {run.phase.challenge}"
    if run.sort == Run.Source.ONLINE:
        return f"{run} has its first scores, which change with each answer: {place}."
    return f"{run} is scored: {place}."


def _has_too_many_uploads(team_id: int, phase: Phase) -> bool:
    """Whether the team has uploaded more files for the challenge in a day than it is notified of one by one."""
    uploads = Upload.objects.filter(team=team_id, phase__challenge=phase.challenge_id)
    return uploads.filter(received__gt=timezone.now() - timedelta(days=1)).count() > MOST_DAILY_UPLOADS_WITH_NEWS


def _notify_team_once_until_read(team_id: int, subject: Run | Upload, sentence: str) -> None:
    """The entry leads to the files of the team, and there is no other one before it is read."""
    members = Membership.objects.filter(team=team_id).values_list("user", flat=True)
    notify_accounts_once_until_read(members, sentence, _build_team_runs_path(Team.objects.get(pk=team_id), subject))


@transaction.atomic
def mail_due_first_scores() -> int:
    """One mail about all runs that were scored for the first time for each team and challenge; returns how many mails.

    It goes to the members of the team who get mail about the challenge. A run stays due until its mail is written.
    """
    due = Run.objects.filter(first_score_mail_due=True).select_related("task", "phase__challenge").order_by("pk")
    runs = list(due.select_for_update(of=("self",), skip_locked=True))
    if not runs:
        return 0
    Run.objects.filter(pk__in=[run.pk for run in runs]).update(first_score_mail_due=False)
    shown = [run for run in runs if run.withdrawn is None and is_score_shown_to_team(run)]
    runs_by_place: defaultdict[tuple[int | None, int], list[Run]] = defaultdict(list)
    for run in shown:
        runs_by_place[run.team_id, run.phase.challenge_id].append(run)
    return sum(_mail_first_scores_to_team(group) for group in runs_by_place.values())


def _mail_first_scores_to_team(runs: Sequence[Run]) -> int:
    first, challenge = runs[0], runs[0].phase.challenge
    lines = [(_format_first_score(run), build_site_url("run", run.pk)) for run in runs]
    body = render_to_string("evaluation/email/first_scores.txt", {"lines": lines, "challenge": challenge})
    more = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
    recipients = map_team_members_to_addresses(challenge, Team.objects.filter(runs=first.pk))
    for account, address in sorted(recipients.items()):
        subject = f"[BCMS] {challenge}: {first} is scored{more}"
        build_challenge_mail(challenge, account, address, subject, body).send()
    return len(recipients)


def _build_run_news(event: ChallengeEvent, run: Run, sentence: str, **details: object) -> ChallengeNews:
    named = {"phase": run.phase.sort, "task": run.task.name, "run": {"id": run.pk, "name": run.name}, **details}
    return ChallengeNews(event, run.phase.challenge, sentence, build_site_url("run", run.pk), named)


def notify_and_mail_about_processed_upload(upload: Upload) -> None:
    """Notify the team, and mail who uploaded it; of files that follow one after the other, once until that is read."""
    sentence, path = _format_outcome(upload), reverse("upload", args=[upload.pk])
    if _has_too_many_uploads(upload.team_id, upload.phase):
        _notify_team_once_until_read(upload.team_id, upload, sentence)
        return
    if upload.state == Upload.State.REFUSED:
        notify_accounts([upload.by_id] if upload.by_id else [], sentence, path)
        notify_others_of_refused_upload(upload)
    else:
        notify_team(upload.team_id, sentence, path)
    context = {"upload": upload, "sentence": sentence, "link": build_site_url("upload", upload.pk)}
    subject = f"{upload.source}, {upload.phase.challenge}"
    mail_person(upload.by, subject, "evaluation/email/upload_processed.txt", context)


def notify_others_of_refused_upload(upload: Upload) -> None:
    """Notify the members of the team other than the one who uploaded the file; the entry leads to the team's files.

    A file can be sent, and refused, any number of times: who has not read of one gets no other entry.
    """
    others = Membership.objects.filter(team=upload.team_id).exclude(user=upload.by_id)
    path = _build_team_runs_path(upload.team, upload)
    notify_accounts_once_until_read(others.values_list("user", flat=True), _format_outcome(upload), path)


def _build_team_runs_path(team: Team, subject: Run | Upload) -> str:
    """Of the team's files in the task and phase of the run or upload."""
    runs = reverse("challenge-runs", args=[subject.phase.challenge.slug, subject.phase.sort, subject.task.name])
    return f"{runs}?{urlencode({'team': team.slug})}"


def _format_outcome(upload: Upload) -> str:
    challenge, place = upload.phase.challenge, f"{upload.task}, {upload.phase.sort} phase"
    if upload.state == Upload.State.FAILED:
        return f"{upload.source} could not be checked because of an error of the site: {place}, {challenge}."
    return f"{upload.source} is {upload.get_state_display()}: {place}, {challenge}."


def store_deliveries_of_processed_upload(upload: Upload) -> None:
    """To webhooks of the challenge if the upload is a run now; to those of the team if not."""
    if upload.run is not None:
        _store_deliveries_of_new_run(upload.run)
        return
    event = ChallengeEvent.RUN_FAILED if upload.state == Upload.State.FAILED else ChallengeEvent.RUN_REFUSED
    details = {
        "phase": upload.phase.sort,
        "task": upload.task.name,
        "upload": {"id": upload.pk, "file": upload.source, "faults": len(upload.faults)},
    }
    link = build_site_url("upload", upload.pk)
    news = ChallengeNews(event, upload.phase.challenge, _format_outcome(upload), link, details)
    store_deliveries_to_teams(news, [upload.team_id])


def _store_deliveries_of_new_run(run: Run) -> None:
    uploaded = Run.objects.filter(phase=run.phase, sort=Run.Source.UPLOAD, withdrawn__isnull=True).count()
    place = f"{run.task}, {run.phase.sort} phase, {run.phase.challenge}"
    sentence = f"{run.team} uploaded the run {run}: {place}. Uploaded runs in this phase: {uploaded:,}."
    news = _build_run_news(ChallengeEvent.RUN_UPLOADED, run, sentence, uploaded_runs=uploaded)
    store_deliveries_to_organizers(news, run.team)
