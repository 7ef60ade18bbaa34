"""The command lines that make every figure of an archive again, from its folder and without the site."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.archives.documents import up_to_date
from evaluation.archives.parts import Part, RunPart
from evaluation.measures.board_scenarios import BoardScenario, in_order, scenario_of
from evaluation.models import Ranking, Score
from evaluation.score_files import renamed
from evaluation.score_history import command_of, compare_command


@dataclass(frozen=True, slots=True)
class Command:
    """line: what to type; scenarios: which boards its figures are of."""

    line: str
    label: str


@dataclass(frozen=True, slots=True)
class Again:
    """What of a part can be made again: its scores that are of the answers in the archive; behind: other runs."""

    commands: Sequence[Command]
    behind: Sequence[str]


def again(part: Part, states: Mapping[int, str]) -> Again:
    """The commands of a part; none where its gold standard is not in the archive."""
    rows = Score.objects.filter(run__in=list(states), superseded__isnull=True, absent="").defer("curve", "table")
    current = [score for score in rows.order_by("pk") if up_to_date(part, score, states[score.run_id])]
    scored = {score.run_id for score in current}
    behind = [own.names.run for own in part.runs if own.run.pk not in scored]
    if part.gold is None:
        return Again([], behind)
    lines = {command.line: command for command in [*score_commands(part, current), *pair_commands(part, current)]}
    return Again(list(lines.values()), behind)


def score_commands(part: Part, scores: Sequence[Score]) -> Iterator[Command]:
    for scenario in in_order({score.scenario for score in scores}):
        own = [score for score in scores if score.scenario == scenario.name]
        runs = {score.run_id for score in own}
        files = [part.run_file(run) for run in part.runs if run.run.pk in runs]
        *words, _, _ = shlex.split(command_of(part.task, scenario, own[0]))
        yield Command(line(part, words, files), label_of(scenario))


def pair_commands(part: Part, scores: Sequence[Score]) -> Iterator[Command]:
    """The tests of every two runs of a board, where all of its runs are as they were tested."""
    of_score = {score.pk: score.run_id for score in scores}
    by_run: Mapping[int, RunPart] = {own.run.pk: own for own in part.runs}
    for ranking in Ranking.objects.filter(task=part.task, phase=part.phase).order_by("scenario", "measure"):
        scenario = scenario_of(ranking.scenario)
        if not ranking.counts or "--per-organism" in scenario.options or not set(ranking.scores) <= of_score.keys():
            continue
        how = (part.task, ranking.measure, ranking.samples, ranking.seed, scenario.options)
        *words, _, _, _ = shlex.split(compare_command(*how))
        files = [part.run_file(by_run[of_score[score]]) for score in ranking.scores]
        yield Command(line(part, words, files), f"every two runs by {ranking.measure}, {scenario.label}")


def line(part: Part, words: Sequence[str], runs: Sequence[str]) -> str:
    """The command with the names of its files in the archive."""
    names = {"ORGANISMS.tsv": organisms_file(part), "SWISSPROT.txt": swissprot_file(part)}
    own = (renamed(word, names) for word in words)
    return shlex.join([*own, "--format", "json", *runs, part.gold_file])


def label_of(scenario: BoardScenario) -> str:
    return "each organism by itself" if "--per-organism" in scenario.options else scenario.label


def organisms_file(part: Part) -> str:
    return f"{part.folder}/organisms.tsv"


def swissprot_file(part: Part) -> str:
    return f"{part.folder}/swissprot.txt"
