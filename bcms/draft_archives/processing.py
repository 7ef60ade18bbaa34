"""Take in archives of challenges: sealed and stored in the request, read and made drafts by the scoring worker.

Only that worker can read them, as an archive may have the gold standard of what becomes a test again.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime

from celery import current_app
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, User
from django.db import DataError, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.urls import reverse

from annotations.advisory_locks import try_advisory_lock
from annotations.formats.errors import FormatError, RefusedFileError
from bcms.article_uploads.article_import import LARGEST_UPLOAD, MEBIBYTES
from bcms.article_uploads.upload_processing import LONGEST_FILE_NAME, MOST_FAULTS, MOST_TRIES, UPLOAD_KEPT
from bcms.draft_archives.creation import create_draft_from_archive
from bcms.lib.text import replace_unstorable_characters
from evaluation.archives.models import DraftArchive
from evaluation.errors import ChallengeError, SealError
from evaluation.gold.sealing import seal_content, unseal_content
from evaluation.gold.storage import get_site_public_key
from servers.inbox.entries import delete_entries_under_page, notify_accounts

log = logging.getLogger(__name__)
# By name, as bcms/tasks.py imports this module.
PROCESS_TASK = "bcms.tasks.create_draft_from_archive_unless_busy"
# Advisory lock: two archives at a time would choose the same free name in URLs, and take twice the memory.
DRAFT_ARCHIVES_LOCK = 20_100_333_000_000
# Of a message: the file, what is wrong, and how to correct it.
LONGEST_PART = 300
CRASHED = "Reading this archive failed twice. Ask the administrator."
TOO_LARGE = f"The archive is larger than {MEBIBYTES} MiB. Ask the administrator to restore it."
DELETED = "The archive {} was deleted while it was read, so no draft was created."
STILL_WAITING = "Your archive {} is still waiting for a worker. Upload another one after that."


class DeletedArchiveError(Exception):
    """The row of the archive is no longer there, so what was made of it cannot be shown."""


def store_draft_archive(
    content: bytes, file_name: str, user: AbstractBaseUser, names: Mapping[str, str]
) -> DraftArchive:
    """Store the archive for the worker. names: the name and slug of the draft, without those of the archive.

    Earlier ones of the user are deleted. ChallengeError for a large archive, while an earlier one of the user waits,
    and if the site has no key to seal it.
    """
    if len(content) > LARGEST_UPLOAD:
        raise ChallengeError(TOO_LARGE)
    sealed = seal_content(content, get_site_public_key())
    with transaction.atomic():
        _lock_account_until_commit(user)
        own = DraftArchive.objects.filter(user_id=user.pk)
        if (waiting := own.filter(finished__isnull=True).first()) is not None:
            raise ChallengeError(STILL_WAITING.format(waiting))
        _delete_with_notifications(own)
        archive = DraftArchive.objects.create(
            user_id=user.pk,
            name=replace_unstorable_characters(file_name or "archive.zip")[-LONGEST_FILE_NAME:],
            challenge_name=names.get("name", ""),
            challenge_slug=names.get("slug", ""),
            size=len(content),
            content=sealed,
        )
        transaction.on_commit(lambda: current_app.send_task(PROCESS_TASK, [archive.pk]), robust=True)
    return archive


def _delete_with_notifications(archives: QuerySet[DraftArchive]) -> None:
    for pk in archives.values_list("pk", flat=True):
        delete_entries_under_page(_build_page_path(pk))
    archives.delete()


def _build_page_path(archive_id: int) -> str:
    return reverse("challenge-draft-archive", args=[archive_id])


def _lock_account_until_commit(user: AbstractBaseUser) -> None:
    """Let two uploads of one account wait for each other."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)


def list_waiting_draft_archives() -> list[int]:
    waiting = DraftArchive.objects.filter(finished__isnull=True)
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def list_old_draft_archives(now: datetime) -> QuerySet[DraftArchive]:
    """What nobody has to know any more; drafts stay."""
    return DraftArchive.objects.filter(uploaded__lt=now - UPLOAD_KEPT)


def process_draft_archive_unless_busy(archive_id: int) -> str:
    """Create the draft: the state after that; "nothing" if there is nothing to do, "busy" while another worker creates
    one: the archive is enqueued again seconds later; "deleted" if somebody deletes the archive in the meantime.
    """
    with try_advisory_lock(DRAFT_ARCHIVES_LOCK) as free:
        if not free:
            return "busy"
        waiting = DraftArchive.objects.select_related("user").filter(pk=archive_id, finished__isnull=True)
        archive = waiting.first()
        if archive is None:
            return "nothing"
        waiting.update(tries=F("tries") + 1)
        try:
            if archive.tries >= MOST_TRIES:
                _finish(archive, refusal=CRASHED)
            else:
                _create_or_reject(archive)
            return DraftArchive.objects.get(pk=archive_id).state
        except DeletedArchiveError:
            _notify_of_deletion(archive)
            return "deleted"


def _notify_of_deletion(archive: DraftArchive) -> None:
    sentence = DELETED.format(archive)
    log.warning(sentence)
    accounts = User.objects.filter(pk=archive.user_id).values_list("pk", flat=True)
    notify_accounts(accounts, sentence, reverse("challenge-new-from-file"))


def _create_or_reject(archive: DraftArchive) -> None:
    names = {"name": archive.challenge_name, "slug": archive.challenge_slug}
    try:
        with transaction.atomic():
            content = unseal_content(bytes(archive.content or b""), settings.GOLD_PRIVATE_KEY)
            given = {name: value for name, value in names.items() if value}
            created = create_draft_from_archive(content, archive.name, archive.user, given)
            _finish(archive, challenge=created.challenge, notes=created.notes)
    except RefusedFileError as error:
        _finish(archive, faults=error.faults)
    except FormatError as error:
        _finish(archive, faults=[error])
    except (ChallengeError, SealError) as error:
        _finish(archive, refusal=str(error))
    except DataError:
        _finish(archive, refusal="The archive has a value that cannot be stored. Download it again.")


@transaction.atomic
def _finish(archive: DraftArchive, *, faults: Sequence[FormatError] = (), **fields: object) -> None:
    """Keep the outcome without the content, and notify who uploaded it. DeletedArchiveError if the row is gone."""
    rows = [_build_fault_row(archive, fault) for fault in faults[:MOST_FAULTS]]
    outcome = {"faults": rows, "all_faults": len(faults), "content": None, "finished": Now(), **fields}
    if not DraftArchive.objects.filter(pk=archive.pk).update(**outcome):
        raise DeletedArchiveError
    challenge = fields.get("challenge")
    sentence = f"{challenge} was created as a draft" if challenge else f"The archive {archive} was rejected"
    notify_accounts([archive.user_id], f"{sentence}.", _build_page_path(archive.pk))


def _build_fault_row(archive: DraftArchive, fault: FormatError) -> list[int | str]:
    """The message names the file in the archive. Names, values and files of it can be of any length."""
    inner = "" if fault.source == archive.name else f"{_clip(fault.source)}: "
    message = f"{_clip(fault.wrong)} - {_clip(fault.mend)}"
    return [fault.line, fault.column, fault.rule, replace_unstorable_characters(f"{inner}{message}")]


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST_PART else f"{text[: LONGEST_PART - 1]}…"
