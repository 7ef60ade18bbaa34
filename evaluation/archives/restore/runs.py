"""Restore a task in a phase from an archive: its gold standard, its runs with annotations, their scores and ranks."""

import zlib
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import Any

from annotations.articles.models import Article
from annotations.results.models import Producer
from annotations.schema import Kind, Span
from evaluation.archives import row_values
from evaluation.archives.errors import GET_ARCHIVE_AGAIN, ChallengeArchiveError
from evaluation.archives.parts import format_uploaded_file_path
from evaluation.archives.pools import restore_closed_pool_with_judgements
from evaluation.archives.restore.teams import RestoredTeams
from evaluation.archives.result_lines import parse_result_records, store_result_records_returning_state
from evaluation.archives.row_values import build_validated_row_from_json
from evaluation.archives.zip_reader import CheckedArchive
from evaluation.calibration.models import Calibration
from evaluation.calibration.stored_calibrations import compute_calibration_fingerprint
from evaluation.challenges.models import Phase, Task
from evaluation.gold.alternatives import encode_alternatives_as_json
from evaluation.gold.models import Alternatives, GoldStandard
from evaluation.gold.storage import create_gold_producer
from evaluation.leaderboards.models import Ranking
from evaluation.measures.leaderboard_scenarios import get_fixed_or_build_scenario
from evaluation.runs.disclosure import publish_challenge_producers
from evaluation.runs.files.mention_reader import read_gene_mention_file
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload, UploadedFile
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import join_score_fingerprint_parts
from evaluation.scoring.scenario_scores import list_optional_figure_names


@dataclass(frozen=True, slots=True)
class RestoreTarget:
    """A task in a phase: its folder in the archive, its restored rows, and its articles by name in the archive."""

    archive: CheckedArchive
    folder: str
    task: Task
    phase: Phase
    articles: Mapping[str, Article]

    @property
    def kind(self) -> Kind:
        return Kind(self.task.kind)

    def store_target_results(self, producer: Producer, stem: str) -> str:
        """Restore the results of a run or gold standard. Returns the state that a score of them records."""
        records = parse_result_records(self.archive.json_lines(f"{self.folder}/results/{stem}.jsonl"), self.kind)
        return store_result_records_returning_state(producer, self.kind, records, self.articles)


@dataclass(frozen=True, slots=True)
class RestoredCounts:
    """without_gold: scores could not be restored, as their gold standard is not in the archive."""

    runs: int
    scores: int
    without_gold: bool = False


@dataclass(frozen=True, slots=True)
class RestoredRun:
    """A run, and the state of its answers, which scores record."""

    run: Run
    state: str


def restore_runs_gold_scores_and_rankings(
    target: RestoreTarget, gold_document: Mapping[str, Any] | None, teams: RestoredTeams
) -> RestoredCounts:
    document = target.archive.json(f"{target.folder}/scores.json")
    runs = {row["stem"]: _restore_run(target, row, teams) for row in document["runs"]}
    if gold_document is None:
        return RestoredCounts(len(runs), 0, without_gold=bool(document["scores"]))
    gold_standard = _restore_gold(target, gold_document)
    scores = _restore_scores(target, document["scores"], runs, gold_standard)
    _restore_calibrations(target, document.get("calibrations", ()), runs, gold_standard)
    _restore_rankings(target, document["rankings"], runs, scores)
    return RestoredCounts(len(runs), len(scores))


def _restore_gold(target: RestoreTarget, document: Mapping[str, Any]) -> GoldStandard:
    producer = create_gold_producer(target.task, target.phase)
    gold = build_validated_row_from_json(
        GoldStandard, document, row_values.GOLD_FIELDS, task=target.task, phase=target.phase, producer=producer
    )
    gold.save()
    target.store_target_results(producer, "gold")
    if gold.published or target.phase.published:
        publish_challenge_producers(Producer.objects.filter(pk=producer.pk))
    if document.get("alternatives"):
        _restore_alternatives(target, document["alternatives"], gold)
    if target.kind == Kind.PASSAGE:
        restore_closed_pool_with_judgements(target.archive, target.folder, gold, target.articles)
    return gold


def _restore_alternatives(target: RestoreTarget, document: Mapping[str, Any], gold: GoldStandard) -> None:
    """Restore the spans accepted instead of genes, from the file of the gold standard."""
    content = BytesIO(target.archive.read(f"{target.folder}/gold.tsv"))
    spans: dict[int, set[Span]] = {}
    for mention in read_gene_mention_file(content, "gold.tsv", "gold").alternatives:
        spans.setdefault(target.articles[mention.document].pk, set()).add(Span(mention.start, mention.end))
    build_validated_row_from_json(
        Alternatives, document, row_values.ALTERNATIVES_FIELDS, gold=gold, places=encode_alternatives_as_json(spans)
    ).save()


def _restore_run(target: RestoreTarget, document: Mapping[str, Any], teams: RestoredTeams) -> RestoredRun:
    """Restore a run with its annotations; it has no server here."""
    team = teams.get_or_create_run_team(document["team"], f"{target.phase.sort} {target.task.name}")
    name = f"{document['name']}, {team}" if team else str(document["name"])
    producer = Producer.objects.create(sort=Producer.Type.RUN, name=name[:200])
    optional = row_values.OPTIONAL_RUN_FIELDS | row_values.DESCRIPTION_DEFAULTS
    fields = row_values.list_field_names_in_document(document, row_values.RUN_FIELDS, optional)
    run = build_validated_row_from_json(
        Run, document, fields, task=target.task, phase=target.phase, team=team, producer=producer
    )
    run.save()
    state = target.store_target_results(producer, document["stem"])
    if document["public"] is True:
        publish_challenge_producers(Producer.objects.filter(pk=producer.pk))
    if document["upload"] is not None and team is not None:
        _restore_upload(target, document["upload"], run, document["stem"])
    return RestoredRun(run, state)


def _restore_upload(target: RestoreTarget, document: Mapping[str, Any], run: Run, stem: str) -> None:
    """Restore the uploaded file of a run, with its report."""
    fields = {"task": run.task, "phase": run.phase, "team": run.team, "run": run, "state": Upload.State.TAKEN}
    upload = build_validated_row_from_json(Upload, document, row_values.UPLOAD_FIELDS, **fields)
    body = target.archive.read(format_uploaded_file_path(target.folder, stem, upload.source))
    if sha256(body).hexdigest() != upload.sha256:
        raise ChallengeArchiveError(
            f"The uploaded file of {run} in the archive does not match scores.json: {GET_ARCHIVE_AGAIN}."
        )
    upload.save()
    UploadedFile.objects.create(upload=upload, body=zlib.compress(body, 6))


def _restore_scores(
    target: RestoreTarget, rows: Sequence[Mapping[str, Any]], runs: Mapping[str, RestoredRun], gold: GoldStandard
) -> list[Score]:
    """Restore all scores in their order. Up-to-date scores remain so and are not computed again.

    Raises KeyError for an unknown scenario.
    """
    scores = []
    for row in rows:
        get_fixed_or_build_scenario(row["scenario"])
        restored = runs[row["run"]]
        fingerprint = (
            join_score_fingerprint_parts(
                restored.state, gold.checksum, target.phase.revision, list_optional_figure_names(target.task)
            )
            if row["up_to_date"] is True
            else "restored"
        )
        table = b64decode(row["table"], validate=True)
        scores.append(
            build_validated_row_from_json(
                Score, row, row_values.SCORE_FIELDS, run=restored.run, gold=gold, seen=fingerprint, table=table
            )
        )
    return Score.objects.bulk_create(scores)


def _restore_calibrations(
    target: RestoreTarget, rows: Sequence[Mapping[str, Any]], runs: Mapping[str, RestoredRun], gold: GoldStandard
) -> None:
    """Restore calibrations. Up-to-date ones remain so and are not learned again."""
    calibrations = []
    for row in rows:
        restored = runs[row["run"]]
        fingerprint = (
            compute_calibration_fingerprint(restored.state, gold.checksum, target.phase.revision)
            if row["up_to_date"] is True
            else "restored"
        )
        calibrations.append(
            build_validated_row_from_json(
                Calibration, row, row_values.CALIBRATION_FIELDS, run=restored.run, gold=gold, seen=fingerprint
            )
        )
    Calibration.objects.bulk_create(calibrations)


def _restore_rankings(
    target: RestoreTarget, rows: Sequence[Mapping[str, Any]], runs: Mapping[str, RestoredRun], scores: Sequence[Score]
) -> None:
    """Restore the pairwise tests of runs, with the keys that their scores and runs have here."""
    current_scores = {
        (document.run_id, document.scenario): document.pk for document in scores if document.superseded is None
    }
    rankings = []
    for document in rows:
        ranking = build_validated_row_from_json(
            Ranking, document, row_values.RANKING_FIELDS, task=target.task, phase=target.phase
        )
        ranking.scores = [current_scores[runs[stem].run.pk, ranking.scenario] for stem in document["runs"]]
        if ranking.ensemble:
            ranking.ensemble = ranking.ensemble | {"runs": [runs[stem].run.pk for stem in ranking.ensemble["runs"]]}
        rankings.append(ranking)
    Ranking.objects.bulk_create(rankings)
