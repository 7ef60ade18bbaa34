"""Notify a team of the first score of a run, and of what became of a file that a worker has checked."""

from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from evaluation.challenges.models import Phase
from evaluation.challenges.webhooks.deliveries import (
    ChallengeNews,
    store_deliveries_to_organizers,
    store_deliveries_to_teams,
)
from evaluation.leaderboards.visibility import list_visible_board_runs
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from servers.inbox.entries import notify_team
from servers.notifications.events import ChallengeEvent
from servers.notifications.site_links import build_site_url
from servers.teams.person_mail import mail_person


def notify_team_of_first_score(run: Run) -> None:
    """Only of uploaded runs, as those of servers change with each answer, and not while scores of a test are hidden."""
    if run.sort != Run.Source.UPLOAD or run.team_id is None:
        return
    public = list_visible_board_runs(AnonymousUser(), run.phase).filter(pk=run.pk)
    if run.phase.sort != Phase.Type.TEST or public.exists():
        sentence = f"{run} is scored: {run.task}, {run.phase.sort} phase, {run.phase.challenge}."
        notify_team(run.team_id, sentence, reverse("run", args=[run.pk]))
        news = _build_run_news(ChallengeEvent.RUN_SCORED, run, sentence)
        store_deliveries_to_teams(news, [run.team_id])


def _build_run_news(event: ChallengeEvent, run: Run, sentence: str, **details: object) -> ChallengeNews:
    named = {"phase": run.phase.sort, "task": run.task.name, "run": {"id": run.pk, "name": run.name}, **details}
    return ChallengeNews(event, run.phase.challenge, sentence, build_site_url("run", run.pk), named)


def notify_and_mail_about_processed_upload(upload: Upload) -> None:
    """Notify the team, and mail who uploaded it."""
    sentence = _format_outcome(upload)
    notify_team(upload.team_id, sentence, reverse("upload", args=[upload.pk]))
    context = {"upload": upload, "sentence": sentence, "link": build_site_url("upload", upload.pk)}
    subject = f"{upload.source}, {upload.phase.challenge}"
    mail_person(upload.by, subject, "evaluation/email/upload_processed.txt", context)


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
