"""A task in a phase out of an archive: its gold standard, its runs with what they say, their scores and ranks."""

import zlib
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import Any

from annotations.kinds import Kind
from annotations.models import Article, Producer
from evaluation.archives import values
from evaluation.archives.exporting import upload_file
from evaluation.archives.pools import restore_pool
from evaluation.archives.restoring_teams import Teams
from evaluation.archives.result_lines import said_in, store_said
from evaluation.archives.unpacking import ANEW, ArchiveError, Unpacked
from evaluation.archives.values import row_of
from evaluation.calibrations.fitting import seen as learned_from
from evaluation.gold import gold_producer
from evaluation.measures.board_scenarios import scenario_of
from evaluation.measures.spans import Span
from evaluation.mentions.alternatives import packed
from evaluation.mentions.files import read_gene_file
from evaluation.mentions.models import Alternatives
from evaluation.models import Calibration, GoldStandard, Phase, Ranking, Run, Score, Task, Upload, UploadedFile
from evaluation.scoring import seen


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the archive the task stands, what it is here, and its articles by what the archive calls them."""

    archive: Unpacked
    folder: str
    task: Task
    phase: Phase
    articles: Mapping[str, Article]

    @property
    def kind(self) -> Kind:
        return Kind(self.task.kind)

    def store(self, producer: Producer, stem: str) -> str:
        said = said_in(self.archive.json_lines(f"{self.folder}/results/{stem}.jsonl"), self.kind)
        return store_said(producer, self.kind, said, self.articles)


@dataclass(frozen=True, slots=True)
class Counts:
    """lacking: there are scores that could not be restored, as their gold standard is not in the archive."""

    runs: int
    scores: int
    lacking: bool = False


@dataclass(frozen=True, slots=True)
class RestoredRun:
    """A run, and the state of its answers that a score of them notes."""

    run: Run
    state: str


def restore_runs(place: Place, gold: Mapping[str, Any] | None, teams: Teams) -> Counts:
    told = place.archive.json(f"{place.folder}/scores.json")
    runs = {own["stem"]: restore_run(place, own, teams) for own in told["runs"]}
    if gold is None:
        return Counts(len(runs), 0, lacking=bool(told["scores"]))
    standard = restore_gold(place, gold)
    scores = restore_scores(place, told["scores"], runs, standard)
    restore_calibrations(place, told.get("calibrations", ()), runs, standard)
    restore_rankings(place, told["rankings"], runs, scores)
    return Counts(len(runs), len(scores))


def restore_gold(place: Place, told: Mapping[str, Any]) -> GoldStandard:
    producer = gold_producer(place.task, place.phase)
    gold = row_of(GoldStandard, told, values.GOLD, task=place.task, phase=place.phase, producer=producer)
    if gold.published:
        Producer.objects.filter(pk=producer.pk).update(public=True)
    gold.save()
    place.store(producer, "gold")
    if told.get("alternatives"):
        restore_alternatives(place, told["alternatives"], gold)
    if place.kind == Kind.PASSAGE:
        restore_pool(place.archive, place.folder, gold, place.articles)
    return gold


def restore_alternatives(place: Place, told: Mapping[str, Any], gold: GoldStandard) -> None:
    """What is accepted in place of genes stands in the file of the gold standard."""
    content = BytesIO(place.archive.read(f"{place.folder}/gold.tsv"))
    found: dict[int, set[Span]] = {}
    for own in read_gene_file(content, "gold.tsv", "gold").alternatives:
        found.setdefault(place.articles[own.document].pk, set()).add(Span(own.start, own.end))
    row_of(Alternatives, told, values.ALTERNATIVES, gold=gold, places=packed(found)).save()


def restore_run(place: Place, told: Mapping[str, Any], teams: Teams) -> RestoredRun:
    """A run with everything that it says. No server stands behind it here, whatever it was there."""
    team = teams.of(told["team"], f"{place.phase.sort} {place.task.name}")
    name = f"{told['name']}, {team}" if team else str(told["name"])
    producer = Producer.objects.create(sort=Producer.Sort.RUN, name=name[:200], public=told["public"] is True)
    run = row_of(Run, told, values.RUN, task=place.task, phase=place.phase, team=team, producer=producer)
    run.save()
    state = place.store(producer, told["stem"])
    if told["upload"] is not None and team is not None:
        restore_upload(place, told["upload"], run, told["stem"])
    return RestoredRun(run, state)


def restore_upload(place: Place, told: Mapping[str, Any], run: Run, stem: str) -> None:
    """The file that was uploaded, with what was said of it."""
    whose = {"task": run.task, "phase": run.phase, "team": run.team, "run": run, "state": Upload.State.TAKEN}
    upload = row_of(Upload, told, values.UPLOAD, **whose)
    body = place.archive.read(upload_file(place.folder, stem, upload.source))
    if sha256(body).hexdigest() != upload.sha256:
        raise ArchiveError(f"The uploaded file of {run} in the archive is another one than scores.json says: {ANEW}.")
    upload.save()
    UploadedFile.objects.create(upload=upload, body=zlib.compress(body, 6))


def restore_scores(
    place: Place, told: Sequence[Mapping[str, Any]], runs: Mapping[str, RestoredRun], gold: GoldStandard
) -> list[Score]:
    """All scores in their order. What was up to date there is so here, and is not made again. KeyError for a scenario
    that there is not."""
    scores = []
    for own in told:
        scenario_of(own["scenario"])
        of = runs[own["run"]]
        basis = seen(of.state, gold.checksum, place.phase.revision) if own["up_to_date"] is True else "restored"
        table = b64decode(own["table"], validate=True)
        scores.append(row_of(Score, own, values.SCORE, run=of.run, gold=gold, seen=basis, table=table))
    return Score.objects.bulk_create(scores)


def restore_calibrations(
    place: Place, told: Sequence[Mapping[str, Any]], runs: Mapping[str, RestoredRun], gold: GoldStandard
) -> None:
    """What training taught; as with scores, what was up to date there is not learned again."""
    learned = []
    for own in told:
        of = runs[own["run"]]
        basis = learned_from(of.state, gold.checksum, place.phase.revision) if own["up_to_date"] is True else "restored"
        learned.append(row_of(Calibration, own, values.CALIBRATION, run=of.run, gold=gold, seen=basis))
    Calibration.objects.bulk_create(learned)


def restore_rankings(
    place: Place, told: Sequence[Mapping[str, Any]], runs: Mapping[str, RestoredRun], scores: Sequence[Score]
) -> None:
    """The tests of every two runs, of the scores as they are called here."""
    current = {(own.run_id, own.scenario): own.pk for own in scores if own.superseded is None}
    rankings = []
    for own in told:
        row = row_of(Ranking, own, values.RANKING, task=place.task, phase=place.phase)
        row.scores = [current[runs[stem].run.pk, row.scenario] for stem in own["runs"]]
        if row.ensemble:
            row.ensemble = row.ensemble | {"runs": [runs[stem].run.pk for stem in row.ensemble["runs"]]}
        rankings.append(row)
    Ranking.objects.bulk_create(rankings)
