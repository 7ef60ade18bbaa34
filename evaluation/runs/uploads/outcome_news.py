"""Notify a team of the first score of a run, and of what became of a file that a worker has checked."""

from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from evaluation.challenges.models import Phase
from evaluation.leaderboards.visibility import list_visible_board_runs
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from servers.inbox.entries import notify_team
from servers.notifications.site_links import build_site_url
from servers.teams.person_mail import mail_person


def notify_team_of_first_score(run: Run) -> None:
    """Only of uploaded runs, as those of servers change with each answer, and not while scores of a test are hidden."""
    if run.sort != Run.Source.UPLOAD or run.team_id is None:
        return
    public = list_visible_board_runs(AnonymousUser(), run.phase).filter(pk=run.pk)
    if run.phase.sort != Phase.Type.TEST or public.exists():
        path = reverse("run", args=[run.pk])
        notify_team(run.team_id, f"{run} is scored: {run.task}, {run.phase.sort} phase, {run.phase.challenge}.", path)


def notify_and_mail_about_processed_upload(upload: Upload) -> None:
    """Notify the team, and mail who uploaded it."""
    challenge, place = upload.phase.challenge, f"{upload.task}, {upload.phase.sort} phase"
    sentence = f"{upload.source} is {upload.get_state_display()}: {place}, {challenge}."
    if upload.state == Upload.State.FAILED:
        sentence = f"{upload.source} could not be checked because of an error of the site: {place}, {challenge}."
    notify_team(upload.team_id, sentence, reverse("upload", args=[upload.pk]))
    context = {"upload": upload, "sentence": sentence, "link": build_site_url("upload", upload.pk)}
    mail_person(upload.by, f"{upload.source}, {challenge}", "evaluation/email/upload_processed.txt", context)
