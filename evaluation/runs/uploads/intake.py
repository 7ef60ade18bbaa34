"""Upload runs: the file of a team is checked, then stored as a run, or rejected, which uses up no run of the team.

A small file is processed while its sender waits, a large one by a worker. Nothing of it is visible until it is stored.
"""

import zlib
from collections.abc import Mapping, Sequence
from hashlib import sha256

from celery import current_app
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.results.bulk_storage import supersede_results_in_bulk_counting_annotations
from annotations.results.models import Producer
from annotations.schema import Kind
from bcms.lib.text import replace_unstorable_characters
from evaluation.challenges.models import Phase, Task
from evaluation.errors import ChallengeError
from evaluation.runs.disclosure import is_published_with_team_names, publish_challenge_producers
from evaluation.runs.files.run_checks import CheckedRunFile
from evaluation.runs.models import Run
from evaluation.runs.uploads.eligibility import check_may_upload_run, count_upload_allowance, lock_team_for_upload
from evaluation.runs.uploads.file_check import (
    RunFileReport,
    build_run_file_report,
    index_phase_articles_by_allowed_name,
    read_and_check_run_content,
)
from evaluation.runs.uploads.models import Upload, UploadedFile
from evaluation.runs.uploads.outcome_news import (
    notify_and_mail_about_processed_upload,
    notify_others_of_refused_upload,
    store_deliveries_of_processed_upload,
)
from evaluation.runs.uploads.submission import (
    MEBIBYTE,
    RunSubmission,
    check_submission_not_empty_or_large,
    clean_run_name_or_file_stem,
    make_storable_file_name_or_default,
)
from servers.teams.models import Team
from servers.teams.permissions import User

# Files up to this size, some ten thousand lines, are processed within the request.
MAX_IMMEDIATE_BYTES = MEBIBYTE // 2
# How often processing a file may be interrupted before the upload is marked as failed.
MAX_PROCESSING_ATTEMPTS = 3
PROCESS_UPLOADS_TASK = "evaluation.tasks.process_run_uploads_unless_busy"
SCORE_RUNS_TASK = "evaluation.tasks.score_due_runs_after_cleaning_unless_busy"


def store_run_upload_and_process_or_enqueue(
    submission: RunSubmission, task: Task, phase: Phase, team: Team, user: User
) -> Upload:
    """Upload a team's file: process it now, or let a worker process a large one. The upload has the outcome.

    Raises ChallengeError before the file is read if the user may not upload, the team has no run left, or it has the
    same run already.
    """
    check_may_upload_run(team, task, phase, user)
    check_submission_not_empty_or_large(submission)
    digest = sha256(submission.content).hexdigest()
    upload = Upload(
        **{
            "task": task,
            "phase": phase,
            "team": team,
            "by_id": user.pk,
            "sha256": digest,
            "size": len(submission.content),
        },
        **{
            "name": clean_run_name_or_file_stem(submission),
            "message": replace_unstorable_characters(submission.message),
            "source": make_storable_file_name_or_default(submission),
            "repair": submission.repair,
        },
    )
    # A small file is processed in this transaction, so that no worker sees it before.
    with transaction.atomic():
        lock_team_for_upload(team)
        _check_not_duplicate_run(submission, digest, task, phase, team)
        upload.save()
        UploadedFile.objects.create(upload=upload, body=zlib.compress(submission.content, 6))
        if len(submission.content) <= MAX_IMMEDIATE_BYTES:
            process_open_upload_or_fail_after_attempts(upload)
        else:
            enqueue_celery_task_on_commit(PROCESS_UPLOADS_TASK)
    return upload


def _check_not_duplicate_run(submission: RunSubmission, digest: str, task: Task, phase: Phase, team: Team) -> None:
    """Raise ChallengeError if the team uploaded the same file, or another one with the same run name."""
    open_uploads = Upload.objects.filter(team=team, task=task, phase=phase, state__in=Upload.OPEN)
    if open_uploads.filter(Q(sha256=digest) | Q(name__iexact=clean_run_name_or_file_stem(submission))).exists():
        raise ChallengeError("This file, or a run of that name, is already being processed; wait for its result.")
    runs = Run.objects.filter(team=team, task=task, phase=phase, withdrawn__isnull=True)
    same_run = runs.filter(upload__sha256=digest).first()
    if same_run is not None:
        raise ChallengeError(f"You uploaded this file already, as run {same_run}; choose another one.")
    if runs.filter(name__iexact=clean_run_name_or_file_stem(submission)).exists():
        raise ChallengeError(
            f"{team} already has a run {clean_run_name_or_file_stem(submission)} here; choose another name."
        )


def process_open_upload_or_fail_after_attempts(upload: Upload) -> str:
    """Check the file of an open upload, then store its run or reject it.

    Returns the outcome: taken, refused, failed, or decided if the upload was not open.
    """
    if upload.begun >= MAX_PROCESSING_ATTEMPTS:
        return mark_upload_failed_if_open(upload)
    Upload.objects.filter(pk=upload.pk).update(begun=F("begun") + 1)
    if not _set_open_upload_state(upload, Upload.State.CHECKING):
        return "decided"
    content = zlib.decompress(bytes(upload.file.body))
    article_by_name = index_phase_articles_by_allowed_name(upload.phase)
    try:
        run = read_and_check_run_content(
            content, upload.source, upload.task, upload.phase, article_by_name, repair=upload.repair
        )
        _set_open_upload_state(upload, Upload.State.STORING)
        return _store_checked_upload(upload, run, article_by_name)
    except RefusedFileError as error:
        return _mark_upload_refused(upload, error.faults)


def _set_open_upload_state(upload: Upload, state: str) -> bool:
    """Set the state of an open upload. Returns False if it was not open."""
    upload.state = state
    return bool(Upload.objects.filter(pk=upload.pk, state__in=Upload.OPEN).update(state=state))


@transaction.atomic
def _store_checked_upload(upload: Upload, run: CheckedRunFile, article_by_name: Mapping[str, int]) -> str:
    """Store the run of a checked file. Raises RefusedFileError if the team has used up its runs in the meantime."""
    if not Upload.objects.select_for_update().filter(pk=upload.pk, state__in=Upload.OPEN).exists():
        return "decided"
    lock_team_for_upload(upload.team)
    if not count_upload_allowance(upload.team, upload.task, upload.phase).left:
        message = "the team used up its runs in this task and phase while the file waited - withdraw one, or keep them"
        raise RefusedFileError([FormatError(upload.source, 0, 0, "R716", message)])
    upload.run = _store_uploaded_run(upload, run)
    _set_upload_report(upload, build_run_file_report(run.file, article_by_name))
    upload.state, upload.finished = Upload.State.TAKEN, Now()
    upload.save()
    upload.refresh_from_db(fields=["finished"])
    _notify_outcome(upload)
    enqueue_celery_task_on_commit(SCORE_RUNS_TASK)
    return "taken"


def _store_uploaded_run(upload: Upload, checked: CheckedRunFile) -> Run:
    producer = Producer.objects.create(sort=Producer.Type.RUN, name=f"{upload.name}, {upload.team}"[:200])
    supersede_results_in_bulk_counting_annotations(producer, Kind(upload.task.kind), checked.findings, checked.moved)
    fields = {"task": upload.task, "phase": upload.phase, "team": upload.team}
    run = Run.objects.create(**fields, producer=producer, name=upload.name, sort=Run.Source.UPLOAD)
    if is_published_with_team_names(upload.phase, timezone.now()):
        publish_challenge_producers(Producer.objects.filter(pk=producer.pk))
    return run


def _set_upload_report(upload: Upload, report: RunFileReport) -> None:
    """Copy the report of a valid file to its upload."""
    upload.format, upload.note, upload.warnings = (
        report.format,
        report.note,
        _list_fault_rows(report.warnings, upload.source),
    )
    upload.unknown, upload.unknown_names = report.unknown, [*report.unknown_names]


@transaction.atomic
def _mark_upload_refused(upload: Upload, faults: Sequence[FormatError]) -> str:
    """Reject an upload: keep its faults and delete its file."""
    UploadedFile.objects.filter(upload=upload).delete()
    upload.state, upload.faults = Upload.State.REFUSED, _list_fault_rows(faults, upload.source)
    values = {"state": upload.state, "faults": upload.faults, "finished": Now()}
    if Upload.objects.filter(pk=upload.pk, state__in=Upload.OPEN).update(**values):
        _notify_outcome(upload)
    return "refused"


@transaction.atomic
def mark_upload_failed_if_open(upload: Upload) -> str:
    """Give up after an error of the site; this is not counted as a try of the team."""
    upload.state = Upload.State.FAILED
    if Upload.objects.filter(pk=upload.pk, state__in=Upload.OPEN).update(state=upload.state, finished=Now()):
        _notify_outcome(upload)
    return "failed"


def _notify_outcome(upload: Upload) -> None:
    """By webhooks in any case. Who uploads a small file sees the outcome at once, the rest of the team does not."""
    store_deliveries_of_processed_upload(upload)
    if upload.size > MAX_IMMEDIATE_BYTES:
        notify_and_mail_about_processed_upload(upload)
    elif upload.state == Upload.State.REFUSED:
        notify_others_of_refused_upload(upload)


def _list_fault_rows(faults: Sequence[FormatError], source: str) -> list[list[int | str]]:
    """Faults as they are stored, without the file `source`; the message names a file inside of it."""
    rows: list[list[int | str]] = []
    for fault in faults:
        inner = fault.source.removeprefix(f"{source}/") if fault.source != source else ""
        message = replace_unstorable_characters(f"{inner}: {fault.message}" if inner else fault.message)
        rows.append([fault.line, fault.column, fault.rule, message])
    return rows


def enqueue_celery_task_on_commit(celery_task_name: str) -> None:
    """Send a Celery task after the commit. If it is lost, the next periodic run does the work."""
    transaction.on_commit(lambda: current_app.send_task(celery_task_name), robust=True)


def list_open_run_uploads() -> Sequence[Upload]:
    """The uploads that a worker has to process, oldest first, without their files."""
    return list(
        Upload.objects.filter(state__in=Upload.OPEN)
        .select_related("task", "team", "phase__corpus", "phase__challenge")
        .order_by("pk")
    )


def read_upload_content(upload: Upload) -> bytes:
    """The uploaded file, byte for byte."""
    return zlib.decompress(bytes(upload.file.body))
