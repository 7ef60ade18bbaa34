"""How many runs a team may still upload in a task and phase."""

from dataclasses import dataclass

from evaluation.challenges.models import Phase, Task
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from servers.teams.models import Team


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


def lock_team_for_upload(team: Team) -> None:
    """Lock the team until the end of the transaction, so that concurrent uploads cannot exceed the allowance."""
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)
