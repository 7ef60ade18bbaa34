"""Where the outcome of a project can become a gold standard."""

from annotations.curation.projects.models import CurationProject
from bcms.data_sets.boards import BoardChoice
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.gold.storage import must_seal_gold
from evaluation.visibility import is_staff
from servers.teams.permissions import User


def list_gold_choices(project: CurationProject, user: User) -> list[BoardChoice]:
    """The tasks and phases with the corpus of the project, in challenges that the user organizes: 2 queries."""
    challenges = Challenge.objects.all() if is_staff(user) else Challenge.objects.filter(organizers=user.pk)
    phases = Phase.objects.filter(corpus=project.corpus_id, challenge__in=challenges.values("pk"))
    ordered = list(phases.select_related("challenge", "corpus").order_by("challenge__name", "challenge", "opens", "pk"))
    tasks = Task.objects.filter(challenge__in={phase.challenge_id for phase in ordered}).order_by("pk")
    return [
        BoardChoice(task, phase)
        for task in tasks.select_related("challenge")
        for phase in ordered
        if phase.challenge_id == task.challenge_id
    ]


def list_consequences_of_gold(choice: BoardChoice) -> list[str]:
    """What happens when the outcome becomes this gold standard, as sentences."""
    replaced = f"It replaces an earlier gold standard of {choice.task}, and all runs are scored again."
    if not must_seal_gold(choice.task, choice.phase):
        return [replaced]
    return [
        replaced,
        "It is sealed: nobody can read it before the test is published.",
        "From now on only the organizers of the challenge see what was decided in this project, and "
        "each curator what they decided themselves, until the test is published.",
        "Until then no record of this project can be published.",
    ]
