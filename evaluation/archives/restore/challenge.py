"""Restore a challenge from its archive, completely or not at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import DataError, IntegrityError, transaction
from django.utils.timezone import now

from annotations.articles.models import Article
from annotations.schema import Kind
from evaluation.archives import row_values
from evaluation.archives.errors import GET_ARCHIVE_AGAIN, ChallengeArchiveError
from evaluation.archives.labels import format_labels_path, restore_labels_once_per_corpus
from evaluation.archives.manual_annotations import (
    format_manual_annotations_path,
    restore_manual_annotations_once_per_corpus,
)
from evaluation.archives.models import RestoredChallenge
from evaluation.archives.pictures import restore_pictures
from evaluation.archives.restore.articles import (
    RestoredArticles,
    find_articles_or_create_without_text,
    find_identical_or_create_corpus,
)
from evaluation.archives.restore.runs import RestoreTarget, restore_runs_gold_scores_and_rankings
from evaluation.archives.restore.teams import find_or_create_teams_and_entrants
from evaluation.archives.row_values import build_validated_row_from_json
from evaluation.archives.zip_reader import CheckedArchive, open_checked_archive
from evaluation.challenges.models import Challenge, ChallengeState, ExcludedArticle, Phase, PhaseEvent, Task
from evaluation.challenges.setup.corpora import claim_corpus_or_raise_if_owned_elsewhere
from evaluation.measures.open_tasks import complete_task_settings
from evaluation.measures.registry import MEASURES_BY_NAME
from evaluation.measures.task_settings import build_task_settings_json

INCONSISTENT_ARCHIVE_MESSAGE = f"challenge.json or scores.json in the archive is inconsistent: {GET_ARCHIVE_AGAIN}."


@dataclass(slots=True)
class RestoreReport:
    """The outcome of a restore. restored_before: nothing was done, as the archive was restored earlier.

    signer: the SHA-256 of the public key of who signed the archive; empty if nobody did.
    articles_without_text: names of the articles that were created; known_teams: teams that existed before;
    without_gold: tasks in phases whose scores could not be restored.
    """

    challenge: Challenge
    signer: str = ""
    restored_before: bool = False
    runs: int = 0
    scores: int = 0
    articles_without_text: list[str] = field(default_factory=list)
    known_teams: list[str] = field(default_factory=list)
    without_gold: list[str] = field(default_factory=list)


def restore_challenge_unless_restored_before(archive_path: Path, new_slug: str = "") -> RestoreReport:
    """Restore the challenge in an archive. new_slug: its name in URLs here; if empty, the one in the archive.

    Raises ChallengeArchiveError, and stores nothing, if the archive is damaged or another challenge has the slug.
    """
    with open_checked_archive(archive_path) as archive:
        try:
            with transaction.atomic():
                return _restore_checked_archive(archive, new_slug)
        except (KeyError, TypeError, ValueError, AttributeError, DataError, IntegrityError):
            raise ChallengeArchiveError(INCONSISTENT_ARCHIVE_MESSAGE) from None


def _restore_checked_archive(archive: CheckedArchive, slug: str) -> RestoreReport:
    document = archive.json("challenge.json")
    fields = row_values.list_field_names_in_document(
        document["challenge"], row_values.CHALLENGE_FIELDS, row_values.OPTIONAL_CHALLENGE_FIELDS
    )
    challenge = build_validated_row_from_json(Challenge, document["challenge"], fields)
    challenge.slug = slug or challenge.slug
    # What is in an archive was public or is restored to be read, so it does not begin as a draft.
    challenge.state = ChallengeState.LISTED
    if existing := Challenge.objects.filter(slug=challenge.slug).first():
        return _get_report_of_earlier_restore(existing, archive)
    challenge.save()
    RestoredChallenge.objects.create(challenge=challenge, checksum=archive.checksum)
    restore_pictures(archive, document, challenge)
    report = RestoreReport(challenge, archive.signer)
    _restore_archive_parts(archive, document, report)
    return report


def _get_report_of_earlier_restore(existing: Challenge, archive: CheckedArchive) -> RestoreReport:
    if RestoredChallenge.objects.filter(challenge=existing, checksum=archive.checksum).exists():
        return RestoreReport(existing, archive.signer, restored_before=True)
    raise ChallengeArchiveError(
        f"There is already another challenge {existing.slug} here; choose another name in URLs with --slug NAME."
    )


def _restore_archive_parts(archive: CheckedArchive, document: Mapping[str, Any], report: RestoreReport) -> None:
    challenge = report.challenge
    teams = find_or_create_teams_and_entrants(document["teams"], challenge)
    report.known_teams = teams.known_names
    tasks = {row["name"]: _build_restored_task(row, challenge) for row in document["tasks"]}
    Task.objects.bulk_create(tasks.values())
    phases: dict[str, Phase] = {}
    articles: dict[str, RestoredArticles] = {}
    for row in document["phases"]:
        restored = find_articles_or_create_without_text(archive, row["sort"], row["corpus"], challenge)
        report.articles_without_text += restored.created
        articles[row["sort"]] = restored
        phases[row["sort"]] = phase = _restore_phase(row, challenge, restored)
        phase.mean_rank_tasks.set([tasks[name] for name in row.get("mean_rank_tasks", ())])
        if format_labels_path(phase) in archive.names:
            restore_labels_once_per_corpus(archive, phase, restored.by_name)
        if format_manual_annotations_path(phase) in archive.names:
            restore_manual_annotations_once_per_corpus(archive, phase, restored.by_name)
    for row in document["parts"]:
        target = RestoreTarget(
            archive, row["folder"], tasks[row["task"]], phases[row["phase"]], articles[row["phase"]].by_name
        )
        counts = restore_runs_gold_scores_and_rankings(target, row["gold"], teams)
        report.runs += counts.runs
        report.scores += counts.scores
        report.without_gold += [f"{row['task']} {row['phase']}"] if counts.without_gold else []


def _build_restored_task(document: Mapping[str, Any], challenge: Challenge) -> Task:
    """Build a task. Raises KeyError for an unknown measure, TaskSettingsError for settings that do not fit its kind."""
    fields = row_values.list_field_names_in_document(document, row_values.TASK_FIELDS, row_values.OPTIONAL_TASK_FIELDS)
    task = build_validated_row_from_json(Task, document, fields, challenge=challenge)
    if (settings := task.get_settings()) is not None:
        task.settings = build_task_settings_json(complete_task_settings(Kind(task.kind), settings))
    for name in (task.primary, *task.further):
        MEASURES_BY_NAME[name]
    return task


def _restore_phase(document: Mapping[str, Any], challenge: Challenge, articles: RestoredArticles) -> Phase:
    """Restore a phase with its corpus, events and excluded articles. Teams that were anonymous remain so."""
    corpus = find_identical_or_create_corpus(document["corpus"], articles, f"{challenge.slug}-{document['sort']}")
    fields = row_values.list_field_names_in_document(
        document, row_values.PHASE_FIELDS, row_values.OPTIONAL_PHASE_FIELDS
    )
    phase = build_validated_row_from_json(Phase, document, fields, challenge=challenge, corpus=corpus)
    if phase.names_shown and phase.names_shown > now():
        phase.names_shown = None
    phase.save()
    if corpus.blind:
        claim_corpus_or_raise_if_owned_elsewhere(challenge, corpus)
    PhaseEvent.objects.bulk_create(
        build_validated_row_from_json(PhaseEvent, event, row_values.PHASE_EVENT_FIELDS, phase=phase)
        for event in document["events"]
    )
    ExcludedArticle.objects.bulk_create(_build_excluded_articles(document["excluded"], phase, articles.by_name))
    return phase


def _build_excluded_articles(
    rows: Sequence[Mapping[str, Any]], phase: Phase, articles: Mapping[str, Article]
) -> list[ExcludedArticle]:
    return [
        build_validated_row_from_json(
            ExcludedArticle, row, row_values.EXCLUDED_ARTICLE_FIELDS, phase=phase, article=articles[row["article"]]
        )
        for row in rows
    ]
