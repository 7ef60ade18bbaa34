"""The commands that reproduce the figures of an archive from its folder, without the site."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.archives.export.documents import is_score_up_to_date
from evaluation.archives.parts import ArchivedRun, ArchivePart
from evaluation.leaderboards.models import Ranking
from evaluation.leaderboards.reproduction.score_files import replace_placeholder_keeping_suffix
from evaluation.leaderboards.reproduction.score_history import (
    format_compare_command_with_placeholders,
    format_score_command_with_placeholders,
)
from evaluation.measures.leaderboard_scenarios import (
    LeaderboardScenario,
    get_fixed_or_build_scenario,
    list_known_scenarios_official_first,
)
from evaluation.scoring.models import Score


@dataclass(frozen=True, slots=True)
class ArchiveCommand:
    """line: the command; label: which figures it computes."""

    line: str
    label: str


@dataclass(frozen=True, slots=True)
class ArchiveReproduction:
    """How to reproduce the scores of a part. behind: names of the runs whose scores are outdated or missing."""

    commands: Sequence[ArchiveCommand]
    behind: Sequence[str]


def build_reproduction_commands_and_outdated_runs(
    part: ArchivePart, answer_state_by_run_id: Mapping[int, str]
) -> ArchiveReproduction:
    """The commands of a part; none if its gold standard is not in the archive."""
    scores = Score.objects.filter(run__in=list(answer_state_by_run_id), superseded__isnull=True, absent="").defer(
        "curve", "table"
    )
    current = [
        score
        for score in scores.order_by("pk")
        if is_score_up_to_date(part, score, answer_state_by_run_id[score.run_id])
    ]
    scored = {score.run_id for score in current}
    behind = [archived_run.names.run for archived_run in part.runs if archived_run.run.pk not in scored]
    if part.gold is None:
        return ArchiveReproduction([], behind)
    lines = {
        command.line: command
        for command in [*_iter_archive_score_commands(part, current), *_iter_archive_compare_commands(part, current)]
    }
    return ArchiveReproduction(list(lines.values()), behind)


def _iter_archive_score_commands(part: ArchivePart, scores: Sequence[Score]) -> Iterator[ArchiveCommand]:
    for scenario in list_known_scenarios_official_first({score.scenario for score in scores}):
        of_scenario = [score for score in scores if score.scenario == scenario.name]
        runs = {score.run_id for score in of_scenario}
        files = [part.format_run_path(archived_run) for archived_run in part.runs if archived_run.run.pk in runs]
        *words, _, _ = shlex.split(format_score_command_with_placeholders(part.task, scenario, of_scenario[0]))
        yield ArchiveCommand(_format_archive_command(part, words, files), _format_scenario_label(scenario))


def _iter_archive_compare_commands(part: ArchivePart, scores: Sequence[Score]) -> Iterator[ArchiveCommand]:
    """The pairwise tests of a board, if the archive has all its runs as they were tested."""
    run_of_score = {score.pk: score.run_id for score in scores}
    archived_runs: Mapping[int, ArchivedRun] = {archived_run.run.pk: archived_run for archived_run in part.runs}
    for ranking in Ranking.objects.filter(task=part.task, phase=part.phase).order_by("scenario", "measure"):
        scenario = get_fixed_or_build_scenario(ranking.scenario)
        if not ranking.counts or "--per-organism" in scenario.options or not set(ranking.scores) <= run_of_score.keys():
            continue
        arguments = (part.task, ranking.measure, ranking.samples, ranking.seed, scenario)
        *words, _, _, _ = shlex.split(format_compare_command_with_placeholders(*arguments))
        files = [part.format_run_path(archived_runs[run_of_score[score]]) for score in ranking.scores]
        yield ArchiveCommand(
            _format_archive_command(part, words, files), f"pairwise comparison by {ranking.measure}, {scenario.label}"
        )


def _format_archive_command(part: ArchivePart, words: Sequence[str], runs: Sequence[str]) -> str:
    """The command with the paths of its files in the archive."""
    paths = {"ORGANISMS.tsv": format_organisms_path(part), "SWISSPROT.txt": format_swissprot_path(part)}
    replaced = (replace_placeholder_keeping_suffix(word, paths) for word in words)
    return shlex.join([*replaced, "--format", "json", *runs, part.gold_file])


def _format_scenario_label(scenario: LeaderboardScenario) -> str:
    return "each organism separately" if "--per-organism" in scenario.options else scenario.label


def format_organisms_path(part: ArchivePart) -> str:
    return f"{part.folder}/organisms.tsv"


def format_swissprot_path(part: ArchivePart) -> str:
    return f"{part.folder}/swissprot.txt"
