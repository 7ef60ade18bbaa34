"""The parts of an archive: each task in each phase, with its articles, gold standard and named runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.text import slugify

from annotations.articles.models import Article
from annotations.schema import Kind
from evaluation.archives.zip_writer import clean_archive_file_name
from evaluation.challenges.articles import list_opaque_or_public_article_names, list_unexcluded_article_names
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.gold.models import GoldStandard
from evaluation.runs.models import Run
from evaluation.runs.names import RunNames, build_run_naming
from evaluation.visibility import ANONYMOUS_READER

MAX_STEM_LENGTH = 40


@dataclass(frozen=True, slots=True)
class ArchivedRun:
    """A run with the names of itself and its team, and the stem of its files. hidden: its team is still anonymous."""

    run: Run
    names: RunNames
    stem: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class ArchivePart:
    """A task in a phase. article_names: {key of an article: its name}; counted: the same for articles that count.

    gold: the gold standard, None while it is that of an unpublished test.
    """

    task: Task
    phase: Phase
    counted: Mapping[int, str]
    article_names: Mapping[int, str]
    gold: GoldStandard | None
    runs: Sequence[ArchivedRun]

    @property
    def kind(self) -> Kind:
        return Kind(self.task.kind)

    @property
    def folder(self) -> str:
        return f"{self.phase.sort}/{clean_archive_file_name(self.task.name)}"

    @property
    def board(self) -> str:
        """The stem of the files of its leaderboard."""
        return self.folder.replace("/", "-")

    def format_run_path(self, archived_run: ArchivedRun) -> str:
        return f"{self.folder}/runs/{archived_run.stem}.tsv"

    def format_results_path(self, stem: str) -> str:
        return f"{self.folder}/results/{stem}.jsonl"

    @property
    def gold_file(self) -> str:
        return f"{self.folder}/gold.tsv"


def iter_parts_per_phase_and_task(challenge: Challenge, now: datetime) -> Iterator[ArchivePart]:
    """Yield all tasks of all phases, phases in the order of their opening."""
    for phase in challenge.phases.select_related("challenge", "corpus").order_by("opens", "pk"):
        counted = list_unexcluded_article_names(phase)
        names = list_opaque_or_public_article_names(phase, Article.objects.filter(corpora=phase.corpus_id))
        for task in challenge.tasks.order_by("pk"):
            yield ArchivePart(
                task, phase, counted, names, _find_publishable_gold(task, phase), _list_archived_runs(task, phase, now)
            )


def _find_publishable_gold(task: Task, phase: Phase) -> GoldStandard | None:
    """Return the gold standard; None if it is sealed, missing, or that of an unpublished test."""
    gold = GoldStandard.objects.filter(task=task, phase=phase, producer__isnull=False).first()
    if gold is None or phase.sort != Phase.Type.TEST or phase.published or gold.published:
        return gold
    return None


def _list_archived_runs(task: Task, phase: Phase, now: datetime) -> list[ArchivedRun]:
    """List the runs that are not withdrawn, with the names that are public now."""
    rows = phase.runs.filter(task=task, withdrawn__isnull=True).order_by("pk")
    runs = list(rows.select_related("team", "producer__queue__server", "calibration"))
    naming = build_run_naming(phase, ANONYMOUS_READER, [run.team for run in runs if run.team], now)
    return [
        ArchivedRun(run, names, f"{number:03}-{_format_file_stem(names.run)}", run.team_id in naming.numbers)
        for number, (run, names) in enumerate(((run, naming.get_run_names(run)) for run in runs), 1)
    ]


def _format_file_stem(name: str) -> str:
    return slugify(name)[:MAX_STEM_LENGTH].strip("-") or "run"


ARTICLE_COLUMNS = ("article", "pmid", "doi", "pmcid", "counts")


def format_uploaded_file_path(part_folder: str, run_stem: str, uploaded_file_name: str) -> str:
    return f"{part_folder}/uploads/{run_stem}/{clean_archive_file_name(uploaded_file_name)}"
