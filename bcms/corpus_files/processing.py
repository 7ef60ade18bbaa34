"""Read and set up corpus files: small ones within the request, others by a worker while the page shows the progress.

A file with the gold standard of a test is sealed before it is stored, so that the scoring worker alone can read it.
"""

from collections.abc import Sequence
from typing import Any

from celery import current_app
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from annotations.advisory_locks import try_advisory_lock
from annotations.articles.imports.article_storage import ArticleStorageError
from annotations.formats.errors import FormatError, RefusedFileError
from bcms.article_uploads.upload_processing import (
    LONGEST_FILE_NAME,
    MOST_FAULTS,
    MOST_TRIES,
    UPLOAD_KEPT,
    are_files_read_at_once,
)
from bcms.corpus_files.file_reader import read_corpus_file
from bcms.corpus_files.hidden_quotes import hide_quotes
from bcms.corpus_files.models import CorpusFile
from bcms.corpus_files.plans import SetUpPlan, parse_set_up_plan
from bcms.corpus_files.setting_up import set_up_challenge_from_file
from bcms.lib.text import replace_unstorable_characters
from evaluation.challenges.models import Challenge
from evaluation.challenges.webhooks.deliveries import ChallengeNews, store_deliveries_to_organizers
from evaluation.errors import ChallengeError, SealError
from evaluation.gold.sealing import seal_content, unseal_content
from evaluation.gold.storage import get_site_public_key
from servers.notifications.events import ChallengeEvent
from servers.notifications.site_links import build_site_url

# By name, as bcms/tasks.py imports this module.
PROCESS_TASK = "bcms.tasks.process_corpus_file_unless_busy"
PROCESS_SEALED_TASK = "bcms.tasks.process_sealed_corpus_file_unless_busy"
# The key of the advisory lock of a file is this number plus the id of its challenge.
CORPUS_FILE_LOCK = 20_100_330_000_000
# What a worker still has to do.
WAITING = Q(finished__isnull=True) & (Q(read__isnull=True) | Q(plan__isnull=False))
CRASHED = "Working on this file failed twice. Split it, or ask the administrator."
ERRORS = (FormatError, RefusedFileError, ArticleStorageError, ChallengeError, SealError)


def replace_corpus_file(
    challenge: Challenge, file: "UploadedFile[Any]", purpose: CorpusFile.Purpose, user: AbstractBaseUser
) -> None:
    """Store the file in place of an earlier one, and read it at once if that is quick; otherwise a worker does.

    Files of all challenges that were uploaded long ago are deleted. ChallengeError if the file has to be sealed and the
    site has no key.
    """
    sealed = purpose != CorpusFile.Purpose.OPEN
    at_once = not sealed and are_files_read_at_once([file])
    file.seek(0)
    content = seal_content(file.read(), get_site_public_key()) if sealed else file.read()
    with transaction.atomic():
        _lock_challenge_until_commit(challenge.pk)
        CorpusFile.objects.filter(Q(challenge=challenge) | Q(uploaded__lt=timezone.now() - UPLOAD_KEPT)).delete()
        CorpusFile.objects.create(
            challenge=challenge,
            user_id=user.pk,
            name=(file.name or "file")[-LONGEST_FILE_NAME:].replace("\0", ""),
            purpose=purpose,
            size=file.size or 0,
            content=content,
        )
    _process_now_or_later(challenge, at_once=at_once, sealed=sealed)


def confirm_corpus_file(corpus_file: CorpusFile, plan: SetUpPlan, user: AbstractBaseUser) -> bool:
    """Set up the challenge at once if that is quick; otherwise a worker does. False if the file is not proposed any
    more: another one was uploaded, or somebody has confirmed it.
    """
    waiting = CorpusFile.objects.filter(
        pk=corpus_file.pk, uploaded=corpus_file.uploaded, read__isnull=False, plan__isnull=True, finished__isnull=True
    )
    planned: dict[str, object] = {
        "plan": plan.build_json(),
        "user": user.pk,
        "tries": 0,
        "faults": [],
        "all_faults": 0,
        "refusal": "",
    }
    if not waiting.exclude(proposal={}).update(**planned):
        return False
    at_once = not corpus_file.is_sealed and corpus_file.size <= MOST_BYTES_SET_UP_AT_ONCE
    _process_now_or_later(corpus_file.challenge, at_once=at_once, sealed=corpus_file.is_sealed)
    return True


# Setting up writes several times as many rows as reading does.
MOST_BYTES_SET_UP_AT_ONCE = 64 * 1024


def _process_now_or_later(challenge: Challenge, *, at_once: bool, sealed: bool) -> None:
    if at_once:
        read_or_set_up_unless_busy(challenge.pk, sealed=False)
    else:
        task = PROCESS_SEALED_TASK if sealed else PROCESS_TASK
        transaction.on_commit(lambda: current_app.send_task(task, [challenge.pk]), robust=True)


def _lock_challenge_until_commit(challenge_id: int) -> None:
    """Let those who replace the file wait for each other, and for the worker that sets the challenge up."""
    Challenge.objects.select_for_update().filter(pk=challenge_id).first()


def list_waiting_corpus_files() -> list[CorpusFile]:
    return list(CorpusFile.objects.filter(WAITING).defer("content").order_by("pk"))


def read_or_set_up_unless_busy(challenge_id: int, *, sealed: bool) -> str:
    """Read the file of a challenge, or set up the challenge: the state after that; "busy" if another worker does it,
    "nothing" if there is nothing to do.

    sealed: whether the file is one that the scoring worker alone can read.
    """
    with try_advisory_lock(CORPUS_FILE_LOCK + challenge_id) as free:
        if not free:
            return "busy"
        is_open = Q(purpose=CorpusFile.Purpose.OPEN)
        files = CorpusFile.objects.select_related("challenge", "user").filter(WAITING, ~is_open if sealed else is_open)
        file = files.filter(pk=challenge_id).first()
        if file is None:
            return "nothing"
        _update_unless_replaced(file, tries=F("tries") + 1)
        if file.tries >= MOST_TRIES:
            _save_refusal(file, [], CRASHED)
        elif file.plan is not None:
            _set_up_or_save_refusal(file, parse_set_up_plan(file.plan))
        else:
            _read_or_save_refusal(file)
        # The challenge may have been deleted.
        after = CorpusFile.objects.filter(pk=file.pk).first()
        return after.state if after else "nothing"


def _read_or_save_refusal(file: CorpusFile) -> None:
    try:
        proposal = read_corpus_file(_open_content(file), file.name, secret=file.is_sealed).proposal
    except ERRORS as error:
        _save_error(file, error)
    else:
        _update_unless_replaced(file, proposal=proposal.build_json(), read=timezone.now())


def _set_up_or_save_refusal(file: CorpusFile, plan: SetUpPlan) -> None:
    try:
        with transaction.atomic():
            _lock_challenge_until_commit(file.pk)
            if CorpusFile.objects.filter(pk=file.pk, uploaded=file.uploaded).exists():
                set_up_challenge_from_file(file.challenge, _open_content(file), file.name, plan, file.user)
                _update_unless_replaced(file, finished=timezone.now(), content=None)
                sentence = f"{file.challenge} is set up from {file.name}."
                _store_deliveries_of_outcome(ChallengeEvent.FILE_STORED, file, sentence)
    except ERRORS as error:
        _save_error(file, error)


def _open_content(file: CorpusFile) -> bytes:
    """SealError if the file was sealed with another key."""
    content = bytes(file.content or b"")
    return unseal_content(content, settings.GOLD_PRIVATE_KEY) if file.is_sealed else content


def _save_error(file: CorpusFile, error: Exception) -> None:
    if isinstance(error, RefusedFileError):
        _save_refusal(file, error.faults, " ".join(getattr(error, "__notes__", ())))
    elif isinstance(error, FormatError):
        _save_refusal(file, [error], "")
    else:
        _save_refusal(file, [], str(error))


@transaction.atomic
def _save_refusal(file: CorpusFile, faults: Sequence[FormatError], refusal: str) -> None:
    """A file that cannot be set up stays proposed, so that the organizer can change the plan; others are of no use."""
    shown = [hide_quotes(fault) if file.is_sealed else fault for fault in faults[:MOST_FAULTS]]
    rows = [[fault.line, fault.column, fault.rule, replace_unstorable_characters(fault.message)] for fault in shown]
    said = {"faults": rows, "all_faults": len(faults), "refusal": replace_unstorable_characters(refusal)}
    kept = {} if file.proposal else {"content": None}
    plans = {"plan": None, "refused_plan": file.plan or file.refused_plan}
    if _update_unless_replaced(file, **said, **kept, **plans, read=file.read or timezone.now()):
        sentence = f"{file.name} could not be {'set up' if file.proposal else 'read'}: {file.challenge}."
        _store_deliveries_of_outcome(ChallengeEvent.FILE_REFUSED, file, sentence, faults=len(faults))


def _store_deliveries_of_outcome(event: ChallengeEvent, file: CorpusFile, sentence: str, **details: object) -> None:
    """Without what is wrong: the page quotes the file, which may be secret, to organizers alone."""
    link = build_site_url("challenge-corpus-file", file.challenge.slug)
    store_deliveries_to_organizers(ChallengeNews(event, file.challenge, sentence, link, {"file": file.name, **details}))


def _update_unless_replaced(file: CorpusFile, **fields: object) -> bool:
    return bool(CorpusFile.objects.filter(pk=file.pk, uploaded=file.uploaded).update(**fields))
