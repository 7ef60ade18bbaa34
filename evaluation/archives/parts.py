"""The parts of an archive: each task in each phase, with its articles, its gold standard and its runs by name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.utils.text import slugify

from annotations.kinds import Kind
from annotations.models import Article
from evaluation.archives.packing import file_name
from evaluation.articles import articles_of, named
from evaluation.models import Challenge, GoldStandard, Phase, Run, Task
from evaluation.naming import Names, naming_for

LONGEST_STEM = 40


@dataclass(frozen=True, slots=True)
class RunPart:
    """A run, what the archive calls it and its team, and the name of its files; hidden: its team is not named yet."""

    run: Run
    names: Names
    stem: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A task in a phase. counted: the articles that count, {key: name}; every: those that do not, too.

    gold: the gold standard, if it may be in the archive: that of a test not before it is published.
    """

    task: Task
    phase: Phase
    counted: Mapping[int, str]
    every: Mapping[int, str]
    gold: GoldStandard | None
    runs: Sequence[RunPart]

    @property
    def kind(self) -> Kind:
        return Kind(self.task.kind)

    @property
    def folder(self) -> str:
        return f"{self.phase.sort}/{file_name(self.task.name)}"

    @property
    def board(self) -> str:
        """What the files of its leaderboard begin with."""
        return self.folder.replace("/", "-")

    def run_file(self, own: RunPart) -> str:
        return f"{self.folder}/runs/{own.stem}.tsv"

    def results_file(self, stem: str) -> str:
        return f"{self.folder}/results/{stem}.jsonl"

    @property
    def gold_file(self) -> str:
        return f"{self.folder}/gold.tsv"


def parts_of(challenge: Challenge, now: datetime) -> Iterator[Part]:
    """All tasks in all phases."""
    for phase in challenge.phases.select_related("challenge", "corpus").order_by("opens", "pk"):
        counted = articles_of(phase)
        every = named(phase, Article.objects.filter(corpora=phase.corpus_id))
        for task in challenge.tasks.order_by("pk"):
            yield Part(task, phase, counted, every, gold_of(task, phase), runs_of(task, phase, now))


def gold_of(task: Task, phase: Phase) -> GoldStandard | None:
    """The gold standard, unless it is that of a test which is not published."""
    gold = GoldStandard.objects.filter(task=task, phase=phase, producer__isnull=False).first()
    if gold is None or phase.sort != Phase.Sort.TEST or phase.published or gold.published:
        return gold
    return None


def runs_of(task: Task, phase: Phase, now: datetime) -> list[RunPart]:
    """The runs that count, under the names under which everybody sees them."""
    rows = phase.runs.filter(task=task, withdrawn__isnull=True).order_by("pk")
    runs = list(rows.select_related("team", "producer__queue__server", "calibration"))
    naming = naming_for(phase, AnonymousUser(), [run.team for run in runs if run.team], now)
    return [
        RunPart(run, own, f"{number:03}-{stem_of(own.run)}", run.team_id in naming.numbers)
        for number, (run, own) in enumerate(((run, naming.of(run)) for run in runs), 1)
    ]


def stem_of(name: str) -> str:
    return slugify(name)[:LONGEST_STEM].strip("-") or "run"
