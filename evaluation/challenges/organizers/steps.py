"""The steps from a new challenge to one that teams can take part in, and which of them is next."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotations.schema import Kind
from evaluation.challenges.models import Challenge, ChallengeState, Phase, Task
from evaluation.gold.models import GoldStandard

# The tasks of a phase, each with its gold standard in this phase.
GoldByTask = Sequence[tuple[Task, GoldStandard | None]]


@dataclass(frozen=True, slots=True)
class SetUpStep:
    """A step. detail: what there is, or what is missing; url_name, action: of the page where it is done, and the text
    of the link; "" for a step on this page. optional: whether it can be left out.
    """

    title: str
    detail: str
    done: bool
    url_name: str = ""
    action: str = ""
    optional: bool = False
    next: bool = False


def list_set_up_steps(
    challenge: Challenge, tasks: Sequence[Task], articles: Sequence[int], phases: Sequence[GoldByTask]
) -> list[SetUpStep]:
    """The steps in order, with the first that is not done marked as next. articles: the number in each corpus."""
    listed = challenge.state != ChallengeState.DRAFT
    steps = [
        SetUpStep(
            "Describe",
            "" if challenge.description else "What the tasks are, who can take part, and until when.",
            bool(challenge.description),
            "challenge-description",
            "Description",
        ),
        *_list_content_steps(tasks, articles, phases),
        SetUpStep(
            "Rules",
            "Who can enter, terms, whom to ask, how to cite.",
            False,
            "challenge-description",
            "Description and rules",
            optional=True,
        ),
        SetUpStep(
            "Dry run",
            "What is missing, and which differences the test set can show.",
            False,
            "challenge-dry-run",
            "Dry run",
            optional=True,
        ),
        SetUpStep(
            "Open",
            "Teams can take part." if listed else "Only organizers see a draft. List the challenge below.",
            listed and bool(phases),
        ),
    ]
    place = next((place for place, step in enumerate(steps) if not step.done and not step.optional), None)
    return [replace(step, next=number == place) for number, step in enumerate(steps)]


def _list_content_steps(
    tasks: Sequence[Task], articles: Sequence[int], phases: Sequence[GoldByTask]
) -> list[SetUpStep]:
    """Corpus, tasks, phase and gold standards, which one file can bring."""
    corpora = f"{_format_number(sum(articles), 'article')} in {_format_number(len(articles), 'corpus', 'corpora')}."
    otherwise = "From one file, with phase, tasks and gold standards, or from articles on this site."
    return [
        SetUpStep(
            "Corpus",
            corpora if articles else otherwise,
            bool(articles),
            "challenge-corpus-file",
            "Set up from a corpus file",
        ),
        SetUpStep(
            "Tasks",
            f"{', '.join(task.name for task in tasks)}." if tasks else "One for each kind of annotation.",
            bool(tasks),
            "challenge-task-add",
            "Add a task",
        ),
        SetUpStep(
            "Phase",
            f"{_format_number(len(phases), 'phase')}." if phases else "Training, development or test.",
            bool(phases),
            "challenge-phase-add" if len(phases) < len(Phase.Type) else "",
            "Add a phase",
        ),
        _build_gold_step(tasks, phases),
    ]


def _build_gold_step(tasks: Sequence[Task], phases: Sequence[GoldByTask]) -> SetUpStep:
    with_gold = [(task, gold) for golds in phases for task, gold in golds if task.kind != Kind.PASSAGE]
    missing = list(dict.fromkeys(task.name for task, gold in with_gold if gold is None))
    return SetUpStep(
        "Gold standards",
        f"Missing for {', '.join(missing)}." if missing else "",
        bool(phases and tasks) and not missing,
        "challenge-gold" if tasks and phases else "",
        "Upload a gold standard",
    )


def _format_number(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
