"""The files from which `python -m evaluation` makes the figures of a board again, and who may have which of them.

They say what is stored in the form in which it is scored: of runs of servers there are no others. The gold standard is
as it was made public, or as the teams of a phase before the test see it article by article.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from annotations.kinds import Kind
from annotations.models import Annotation
from evaluation.accessions import WITH_ORGANISMS, organisms_of, swissprot_of
from evaluation.archives.result_lines import SaidByAll, said_by
from evaluation.archives.run_tables import gold_lines, judgement_lines, run_lines
from evaluation.articles import articles_of
from evaluation.board_rows import Row
from evaluation.challenges import organizes
from evaluation.leaderboard import Board, runs_seen_by
from evaluation.mentions.alternatives import accepted_by
from evaluation.models import GoldStandard, Phase, Run, Task
from evaluation.opening import runs_are_open
from evaluation.own_runs import may_see
from evaluation.score_history import History, history_of
from evaluation.scoring import judged


def may_read_run(user: Any, run: Run) -> bool:
    """Whether the user may have what the run says: everybody once it is open, before its team and organizers."""
    return runs_are_open(run.phase, timezone.now()) or may_see(user, run)


def gold_read_by(user: Any, task: Task, phase: Phase) -> GoldStandard | None:
    """The gold standard, if the user may have it; None when it is sealed.

    Everybody may once it is published, organizers at any time, and before the test a team that has runs in the task.
    """
    gold = GoldStandard.objects.filter(task=task, phase=phase, producer__isnull=False).first()
    if gold is None or phase.published or gold.published or organizes(user, phase.challenge):
        return gold
    return gold if runs_seen_by(user, phase).filter(task=task).exists() else None


def gold_file(gold: GoldStandard) -> Iterator[str]:
    """What is right of the articles that count; of passages what was decided of those that were pooled."""
    return right_lines(gold, articles_of(gold.phase), right_said(gold))


def right_said(gold: GoldStandard) -> SaidByAll:
    """ValueError when it is sealed."""
    if gold.producer_id is None:
        raise ValueError("A sealed gold standard says nothing.")
    return said_by(gold.producer_id, Kind(gold.task.kind), articles_of(gold.phase))


def right_lines(gold: GoldStandard, names: Mapping[int, str], said: SaidByAll) -> Iterator[str]:
    """The lines of the file of a gold standard over the articles named, {key: name}."""
    kind = Kind(gold.task.kind)
    if kind == Kind.PASSAGE:
        return judgement_lines(judged(gold, names))
    return gold_lines(kind, said.findings(names), accepted_by(gold, names) if kind == Kind.MENTION else None)


def run_file(run: Run) -> Sequence[str]:
    """What the run says of the articles that count, as far as the gold standard's databases count, where there is one
    that is not sealed."""
    kind, names = Kind(run.task.kind), articles_of(run.phase)
    gold = GoldStandard.objects.filter(task=run.task_id, phase=run.phase_id, producer__isnull=False).first()
    databases = databases_of(gold) if gold else None
    return run_lines(kind, said_by(run.producer_id, kind, names).findings(names), databases)


def databases_of(gold: GoldStandard) -> frozenset[str]:
    said = right_said(gold).findings(articles_of(gold.phase))
    return frozenset(finding.database for own in said.values() for finding in own)


def database_of(gold: GoldStandard) -> str:
    """The database of the accessions by which a board is split; empty where it cannot be split."""
    databases = databases_of(gold) if gold.task.kind in WITH_ORGANISMS else frozenset()
    return next(iter(databases)) if len(databases) == 1 else ""


def organisms_file(gold: GoldStandard, user: Any) -> Iterator[str]:
    """The taxon of each accession in the gold standard and in all runs that the user may have, as far as the tables
    here know it."""
    runs = runs_seen_by(user, gold.phase).filter(task=gold.task_id).select_related("team", "phase__challenge")
    producers = [gold.producer_id, *(run.producer_id for run in runs if may_read_run(user, run))]
    known = organisms_of(database_of(gold), sorted(accessions_of(producers, Kind(gold.task.kind))))
    return (f"{name}\t{taxon}\n" for name, taxon in sorted(known.items()))


def swissprot_file(gold: GoldStandard) -> Iterator[str]:
    """The accessions of the gold standard that are in Swiss-Prot, as far as the tables here know it."""
    own = accessions_of([gold.producer_id], Kind(gold.task.kind)) if database_of(gold) == "uniprot" else set()
    return (f"{name}\n" for name in sorted(swissprot_of(sorted(own))))


def accessions_of(producers: Sequence[int | None], kind: Kind) -> set[str]:
    said = Annotation.objects.filter(
        result__producer__in=producers, result__kind=kind, result__superseded__isnull=True
    ).values_list("identifier", "partner")
    return {name for pair in said.distinct() for name in pair if name}


@dataclass(frozen=True, slots=True)
class GoldFile:
    """A file that is made of a gold standard. word: what stands for it in commands; lines: for a user."""

    word: str
    said: str
    lines: Callable[[GoldStandard, Any], Iterable[str]]


# By their names in addresses.
GOLD_FILES: Mapping[str, GoldFile] = {
    "gold.tsv": GoldFile("GOLD", "the gold standard", lambda gold, _: gold_file(gold)),
    "organisms.tsv": GoldFile("ORGANISMS.tsv", "the organism of each accession", organisms_file),
    "swissprot.txt": GoldFile(
        "SWISSPROT.txt", "the right accessions that are in Swiss-Prot", lambda gold, _: swissprot_file(gold)
    ),
}


def with_files(command: str, names: Mapping[str, str], runs: Sequence[int]) -> str:
    """A command line with the names of files in the place of RUN, GOLD, ORGANISMS.tsv and SWISSPROT.txt."""
    *words, gold = (renamed(word, names) for word in shlex.split(command) if word != "RUN")
    return shlex.join([*words, *map(run_name, runs), gold])


def renamed(word: str, names: Mapping[str, str]) -> str:
    name, colon, side = word.partition(":")
    return f"{names[name]}{colon}{side}" if name in names else word


def names_of(task: Task, phase: Phase) -> dict[str, str]:
    """What the files of a board are called, by the words for them in commands; those of runs by run_name."""
    board = f"{phase.challenge.slug}-{phase.sort}-{task.name}"
    return {own.word: f"{board}-{file}" for file, own in GOLD_FILES.items()}


def run_name(run: int) -> str:
    return f"run-{run}.tsv"


@dataclass(frozen=True, slots=True)
class Offered:
    """A file to be downloaded: its name in addresses, the name that commands give it, and what is in it."""

    file: str
    name: str
    words: str


def offered(user: Any, shown: Board, run: Run | None = None) -> list[Offered]:
    """The files of the board's commands that the user may have: of the run, of the gold standard, and of what the
    scenarios are split by."""
    files = []
    if run is not None and may_read_run(user, run):
        files.append(Offered(run_name(run.pk), run_name(run.pk), "what the run says"))
    # Whoever sees a run on the board may have what it is scored by, as gold_read_by, once that is not sealed.
    if shown.rows and shown.gold is not None and shown.gold.producer_id is not None:
        names = names_of(shown.task, shown.phase)
        options = {word.partition(":")[0] for own in shown.choices if not own.absent for word in own.scenario.options}
        files += [
            Offered(file, names[own.word], own.said)
            for file, own in GOLD_FILES.items()
            if own.word == "GOLD" or own.word in options
        ]
    return files


@dataclass(frozen=True, slots=True)
class ScoresOfRun:
    """A run on a board, its scores with the commands that make them again, and the files that the user may have."""

    row: Row
    history: History
    files: Sequence[Offered]


def scores_of(user: Any, shown: Board, run: int) -> ScoresOfRun | None:
    """None when there is no such run on the board as the user sees it."""
    row = next((own for own in shown.rows if own.run == run), None)
    if row is None:
        return None
    found = runs_seen_by(user, shown.phase).select_related("team", "phase__challenge").get(pk=run)
    names = names_of(shown.task, shown.phase)
    history = history_of(found, shown.task, lambda command: with_files(command, names, [run]))
    return ScoresOfRun(row, history, offered(user, shown, found))
