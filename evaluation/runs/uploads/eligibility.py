"""Whether a team may upload a run in a task and phase, and how many more."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from evaluation.challenges.models import Phase, Task
from evaluation.challenges.participants import admission
from evaluation.challenges.participants.training_progress import has_final_training_upload_or_no_training_phase
from evaluation.challenges.phases.checks import check_phase_open, check_test_gold_unpublished, format_phase_date
from evaluation.errors import ChallengeError
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from servers.teams.models import Membership, Team
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class UploadAllowance:
    """used: uploaded runs that count; most: how many may count; tries: files uploaded, rejected ones too."""

    used: int
    most: int
    tries: int

    @property
    def left(self) -> int:
        return max(self.most - self.used, 0)

    def __str__(self) -> str:
        files = "1 file" if self.tries == 1 else f"{self.tries} files"
        return f"{self.used} of {self.most} runs used, {files} uploaded"


def count_upload_allowance(team: Team, task: Task, phase: Phase) -> UploadAllowance:
    """Two queries. Withdrawn runs and uploads that failed because of an error of the site do not count."""
    of_team = {"team": team, "task": task, "phase": phase}
    used = Run.objects.filter(**of_team, sort=Run.Source.UPLOAD, withdrawn__isnull=True).count()
    return UploadAllowance(
        used, phase.offline_runs, Upload.objects.filter(**of_team).exclude(state=Upload.State.FAILED).count()
    )


def find_next_upload_time(team: Team, task: Task, phase: Phase, now: datetime) -> datetime | None:
    """When the team can upload again if it has used its runs of today (UTC), else None; a query if there is a cap.

    Withdrawn runs count too, or a team could replace its runs all day.
    """
    if phase.daily_runs is None:
        return None
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    states = [Upload.State.TAKEN, *Upload.OPEN]
    uploads = Upload.objects.filter(team=team, task=task, phase=phase, received__gte=today, state__in=states)
    return today + timedelta(days=1) if uploads.count() >= phase.daily_runs else None


def lock_team_for_upload(team: Team) -> None:
    """Lock the team until the end of the transaction, so that concurrent uploads cannot exceed the allowance."""
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)


def check_may_upload_run(team: Team, task: Task, phase: Phase, user: User) -> None:
    """Raise ChallengeError, with the reason and what to do, if the user may not upload a run for the team now."""
    if not Membership.objects.filter(team=team, user=user.pk).exists():
        raise ChallengeError(f"Only members of {team} may upload its runs; ask one of them.")
    admission.check_team_may_take_part(phase.challenge, team)
    admission.check_team_read_no_blind_articles(phase, team)
    check_phase_open(phase, timezone.now(), "upload runs")
    check_test_gold_unpublished(phase, [task], "upload runs of it")
    if (
        phase.sort == Phase.Type.TEST
        and phase.final_first
        and not has_final_training_upload_or_no_training_phase(team, phase.challenge)
    ):
        raise ChallengeError(
            f"{team} has no final run in the training phase yet; upload your training runs, tag the final ones, then "
            "upload the test runs."
        )
    allowance = count_upload_allowance(team, task, phase)
    if not allowance.left:
        withdraw = "; withdraw one first" if phase.may_withdraw else ""
        raise ChallengeError(f"{team} has used its {allowance.most} runs of {task} in this phase{withdraw}.")
    next_time = find_next_upload_time(team, task, phase, timezone.now())
    if next_time is not None:
        raise ChallengeError(
            f"{team} has already uploaded as many runs of {task} today as the phase allows ({phase.daily_runs}). You "
            f"can upload the next one from {format_phase_date(next_time)} on."
        )
