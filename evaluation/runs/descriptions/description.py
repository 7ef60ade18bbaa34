"""What a team says about a run: the method, its paper and code, and what it ran on."""

from dataclasses import astuple, dataclass, fields

from evaluation.runs.models import Run

DOI_RESOLVER = "https://doi.org/"


@dataclass(frozen=True, slots=True)
class RunDescription:
    """Texts of the team, each empty if it says nothing; paper and code are URLs."""

    method_name: str = ""
    abstract: str = ""
    paper: str = ""
    code: str = ""
    environment: str = ""

    def __bool__(self) -> bool:
        return any(astuple(self))


NO_DESCRIPTION = RunDescription()
DESCRIPTION_FIELDS = tuple(field.name for field in fields(RunDescription))


def get_description_of_run(run: Run) -> RunDescription:
    return RunDescription(**{name: getattr(run, name) for name in DESCRIPTION_FIELDS})


def suggest_description(run: Run) -> RunDescription:
    """That of the run or, if it has none, the latest that its team wrote in the challenge; 1 query at most."""
    if described := get_description_of_run(run):
        return described
    of_team = Run.objects.filter(team=run.team_id, phase__challenge=run.phase.challenge_id).exclude(pk=run.pk)
    rows = of_team.exclude(**dict.fromkeys(DESCRIPTION_FIELDS, "")).order_by("-pk")
    values = rows.values(*DESCRIPTION_FIELDS).first() if run.team_id else None
    return RunDescription(**values) if values else described
