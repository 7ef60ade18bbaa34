"""The files from which `python -m evaluation` reproduces the figures of a leaderboard, and who may read which.

They are written from the database in the form that is scored, also for runs of servers, which have no uploaded file.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils import timezone

from annotations.results.models import Annotation
from annotations.schema import Kind
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Phase, Task
from evaluation.challenges.permissions import can_organize
from evaluation.gold.alternatives import find_accepted_spans_unsealing
from evaluation.gold.models import GoldStandard
from evaluation.leaderboards.board import Board
from evaluation.leaderboards.reproduction.score_history import ScoreHistory, build_current_and_official_earlier_scores
from evaluation.leaderboards.rows import LeaderboardRow
from evaluation.leaderboards.visibility import list_visible_board_runs
from evaluation.runs.disclosure import is_published_with_team_names
from evaluation.runs.files.open_writer import iter_open_bioc_lines
from evaluation.runs.files.run_writer import (
    iter_gold_tsv_or_pubtator_lines,
    iter_verdict_tsv_lines,
    list_run_tsv_or_pubtator_lines,
)
from evaluation.runs.models import Run
from evaluation.runs.permissions import can_see_run
from evaluation.scoring.accession_tables import (
    KINDS_WITH_ORGANISMS,
    filter_swissprot_accessions,
    find_taxa_by_accession,
)
from evaluation.scoring.gold_databases import load_gold_databases
from evaluation.scoring.result_records import (
    ResultRecords,
    load_current_records_of_named_articles,
    load_task_records_of_named_articles,
)
from evaluation.scoring.scenario_scores import load_passage_verdicts
from servers.teams.permissions import User


def can_read_run(user: User, run: Run) -> bool:
    """Whether the user may read the annotations of a run: everybody if it is public, else its team and organizers."""
    return is_published_with_team_names(run.phase, timezone.now()) or can_see_run(user, run)


def find_readable_gold(user: User, task: Task, phase: Phase) -> GoldStandard | None:
    """The gold standard of a task in a phase if the user may read it, else None; None also while it is sealed.

    Everybody may read it once it is published, organizers always, and before the test teams with runs in the task.
    """
    gold = GoldStandard.objects.filter(task=task, phase=phase, producer__isnull=False).first()
    if gold is None or phase.published or gold.published or can_organize(user, phase.challenge):
        return gold
    return gold if list_visible_board_runs(user, phase).filter(task=task).exists() else None


def _iter_gold_file_lines(gold: GoldStandard) -> Iterator[str]:
    """The file of a gold standard over the scored articles; for passages the judgements of the pooled ones."""
    return iter_gold_or_verdict_file_lines(gold, list_unexcluded_article_names(gold.phase), _load_unsealed_gold(gold))


def _load_unsealed_gold(gold: GoldStandard) -> ResultRecords:
    """The annotations of a gold standard; ValueError if it is sealed."""
    if gold.producer_id is None:
        raise ValueError("The gold standard is sealed.")
    return load_current_records_of_named_articles(
        gold.producer_id, Kind(gold.task.kind), list_unexcluded_article_names(gold.phase)
    )


def iter_gold_or_verdict_file_lines(
    gold: GoldStandard, name_by_article_id: Mapping[int, str], gold_records: ResultRecords
) -> Iterator[str]:
    """The lines of the file of a gold standard over these articles, {article id: name}."""
    kind, settings = Kind(gold.task.kind), gold.task.get_settings()
    if settings is not None:
        return iter_open_bioc_lines(kind, settings, gold_records.group_counted_annotations(name_by_article_id))
    if kind == Kind.PASSAGE:
        return iter_verdict_tsv_lines(load_passage_verdicts(gold, name_by_article_id))
    return iter_gold_tsv_or_pubtator_lines(
        kind,
        gold_records.group_counted_annotations(name_by_article_id),
        find_accepted_spans_unsealing(gold, name_by_article_id) if kind == Kind.MENTION else None,
    )


def list_run_file_lines_as_scored(run: Run) -> Sequence[str]:
    """The annotations of a run for the scored articles.

    Only those of the databases of the gold standard, if there is one that is not sealed.
    """
    kind, names = Kind(run.task.kind), list_unexcluded_article_names(run.phase)
    gold = GoldStandard.objects.filter(task=run.task_id, phase=run.phase_id, producer__isnull=False).first()
    if (settings := run.task.get_settings()) is not None:
        answers = load_task_records_of_named_articles(run.producer_id, run.task, names)
        gold_annotations = _load_unsealed_gold(gold).group_counted_annotations(names) if gold else {}
        annotations = answers.group_counted_annotations(names)
        return list(iter_open_bioc_lines(kind, settings, annotations, gold_annotations))
    databases = load_gold_databases(gold) if gold else None
    return list_run_tsv_or_pubtator_lines(
        kind,
        load_current_records_of_named_articles(run.producer_id, kind, names).group_counted_annotations(names),
        databases,
    )


def _find_splitting_database(gold: GoldStandard) -> str:
    """The database of accessions whose organisms define scenarios; empty if there is none or more than one."""
    databases = load_gold_databases(gold) if gold.task.kind in KINDS_WITH_ORGANISMS else frozenset()
    return next(iter(databases)) if len(databases) == 1 else ""


def _iter_organisms_file_lines(gold: GoldStandard, user: User) -> Iterator[str]:
    """The taxon of each accession in the gold standard and in all runs that the user may read, if it is known here."""
    runs = (
        list_visible_board_runs(user, gold.phase).filter(task=gold.task_id).select_related("team", "phase__challenge")
    )
    producers = [gold.producer_id, *(run.producer_id for run in runs if can_read_run(user, run))]
    known = find_taxa_by_accession(
        _find_splitting_database(gold), sorted(_list_named_accessions(producers, Kind(gold.task.kind)))
    )
    return (f"{name}\t{taxon}\n" for name, taxon in sorted(known.items()))


def _iter_swissprot_file_lines(gold: GoldStandard) -> Iterator[str]:
    """The accessions of the gold standard that are known to be in Swiss-Prot."""
    accessions = (
        _list_named_accessions([gold.producer_id], Kind(gold.task.kind))
        if _find_splitting_database(gold) == "uniprot"
        else set()
    )
    return (f"{name}\n" for name in sorted(filter_swissprot_accessions(sorted(accessions))))


def _list_named_accessions(producers: Sequence[int | None], kind: Kind) -> set[str]:
    """The identifiers in the current annotations of producers (ids)."""
    rows = Annotation.objects.filter(
        result__producer__in=producers, result__kind=kind, result__superseded__isnull=True
    ).values_list("identifier", "partner")
    return {name for pair in rows.distinct() for name in pair if name}


@dataclass(frozen=True, slots=True)
class DerivedGoldFile:
    """A file that is derived from a gold standard.

    placeholder: stands for the file in commands; description: what is in it; iter_lines: its lines for a user.
    """

    placeholder: str
    description: str
    iter_lines: Callable[[GoldStandard, User], Iterable[str]]


# By their names in URLs.
DERIVED_GOLD_FILES: Mapping[str, DerivedGoldFile] = {
    "gold.tsv": DerivedGoldFile("GOLD", "the gold standard", lambda gold, _: _iter_gold_file_lines(gold)),
    "organisms.tsv": DerivedGoldFile("ORGANISMS.tsv", "the organism of each accession", _iter_organisms_file_lines),
    "swissprot.txt": DerivedGoldFile(
        "SWISSPROT.txt",
        "the accessions of the gold standard that are in Swiss-Prot",
        lambda gold, _: _iter_swissprot_file_lines(gold),
    ),
}


def replace_placeholders_by_file_names(
    command_line: str, file_name_by_placeholder: Mapping[str, str], run_ids: Sequence[int]
) -> str:
    """A command line with names of files instead of RUN, GOLD, ORGANISMS.tsv and SWISSPROT.txt.

    file_name_by_placeholder: {placeholder: file name}; run_ids: ids of the runs, in order.
    """
    *arguments, gold = (
        replace_placeholder_keeping_suffix(part, file_name_by_placeholder)
        for part in shlex.split(command_line)
        if part != "RUN"
    )
    return shlex.join([*arguments, *map(format_run_file_name, run_ids), gold])


def replace_placeholder_keeping_suffix(argument: str, file_name_by_placeholder: Mapping[str, str]) -> str:
    """An argument of a command with the name of the file for its placeholder, keeping a suffix such as ":human"."""
    placeholder, colon, suffix = argument.partition(":")
    return (
        f"{file_name_by_placeholder[placeholder]}{colon}{suffix}"
        if placeholder in file_name_by_placeholder
        else argument
    )


def build_gold_file_name_by_placeholder(task: Task, phase: Phase) -> dict[str, str]:
    """The names of the files of a leaderboard, {placeholder: file name}; runs have those of format_run_file_name."""
    board = f"{phase.challenge.slug}-{phase.sort}-{task.name}"
    return {derived.placeholder: f"{board}-{file}" for file, derived in DERIVED_GOLD_FILES.items()}


def format_run_file_name(run_id: int) -> str:
    return f"run-{run_id}.tsv"


@dataclass(frozen=True, slots=True)
class OfferedFile:
    """A file to download. file: its name in the URL; name: its name in commands; words: what is in it."""

    file: str
    name: str
    words: str


def list_downloadable_command_files(user: User, board: Board, run: Run | None = None) -> list[OfferedFile]:
    """The files for the commands of a leaderboard that the user may read: of the run, and of the gold standard with
    those derived from it that a scenario needs."""
    files = []
    if run is not None and can_read_run(user, run):
        files.append(
            OfferedFile(format_run_file_name(run.pk), format_run_file_name(run.pk), "the annotations of the run")
        )
    # As in find_readable_gold: a user who sees a run on the board may read its gold standard unless it is sealed.
    if board.rows and board.gold is not None and board.gold.producer_id is not None:
        names = build_gold_file_name_by_placeholder(board.task, board.phase)
        available = [choice.scenario for choice in board.choices if not choice.absent]
        used = {"GOLD"} | {option.partition(":")[0] for scenario in available for option in scenario.options}
        files += [
            OfferedFile(file, names[derived.placeholder], derived.description)
            for file, derived in DERIVED_GOLD_FILES.items()
            if derived.placeholder in used
        ]
    return files


@dataclass(frozen=True, slots=True)
class RunScores:
    """A run on a leaderboard, its scores with the commands to reproduce them, and the files that a user may read."""

    row: LeaderboardRow
    history: ScoreHistory
    files: Sequence[OfferedFile]


def find_scores_and_files_of_run(user: User, board: Board, run_id: int) -> RunScores | None:
    """The scores of a run; None if the user does not see it on the board."""
    row = next((one for one in board.rows if one.run == run_id), None)
    if row is None:
        return None
    run = list_visible_board_runs(user, board.phase).select_related("team", "phase__challenge").get(pk=run_id)
    names = build_gold_file_name_by_placeholder(board.task, board.phase)
    history = build_current_and_official_earlier_scores(
        run, board.task, lambda command: replace_placeholders_by_file_names(command, names, [run_id])
    )
    return RunScores(row, history, list_downloadable_command_files(user, board, run))
