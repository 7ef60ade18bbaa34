"""Archives requested by organizers: made by a worker and stored in pieces until the next one is requested."""

from collections.abc import Callable, Iterator
from hashlib import sha256

from celery import current_app
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from evaluation.archives.export.challenge import write_publishable_archive_returning_manifest_hash
from evaluation.archives.models import ArchivePiece, ChallengeArchive
from evaluation.challenges.models import Challenge
from servers.teams.permissions import User

# By name, as evaluation/tasks.py imports this module.
MAKE_ARCHIVES_TASK = "evaluation.tasks.make_requested_archives_unless_busy"
ARCHIVE_PIECE_BYTES = 1 << 20
# How often making an archive may be interrupted before it is marked as failed.
MAX_ARCHIVE_ATTEMPTS = 3
ARCHIVE_PIECES_PER_FETCH = 8


@transaction.atomic
def enqueue_archive_discarding_finished_one(challenge: Challenge, requester: User | None) -> ChallengeArchive:
    """Let a worker make the archive again. A finished archive is deleted, one in progress is continued."""
    Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    ChallengeArchive.objects.filter(challenge=challenge, finished__isnull=False).delete()
    archive, _ = ChallengeArchive.objects.get_or_create(
        challenge=challenge, defaults={"by_id": requester.pk if requester else None}
    )
    transaction.on_commit(lambda: current_app.send_task(MAKE_ARCHIVES_TASK), robust=True)
    return archive


def list_unfinished_archives() -> list[ChallengeArchive]:
    """The archives that still have to be made, oldest first."""
    return list(ChallengeArchive.objects.filter(finished__isnull=True).select_related("challenge").order_by("pk"))


class ArchivePieceWriter:
    """Stores what is written to it as pieces of one size."""

    def __init__(self, archive: ChallengeArchive) -> None:
        self.archive = archive
        self.waiting = bytearray()
        self.number, self.size, self.digest = 0, 0, sha256()

    def write(self, data: bytes) -> None:
        self.digest.update(data)
        self.size += len(data)
        self.waiting += data
        while len(self.waiting) >= ARCHIVE_PIECE_BYTES:
            self.store_piece(ARCHIVE_PIECE_BYTES)

    def store_piece(self, length: int) -> None:
        body = bytes(self.waiting[:length])
        ArchivePiece.objects.create(archive=self.archive, number=self.number, body=body)
        self.number += 1
        del self.waiting[:length]


def make_archive_unless_attempts_used_up(archive: ChallengeArchive) -> str:
    """Make an archive and store its progress. Returns the outcome: made, or given up after too many attempts."""
    if archive.begun >= MAX_ARCHIVE_ATTEMPTS:
        return delete_pieces_and_mark_archive_failed(archive)
    ChallengeArchive.objects.filter(pk=archive.pk).update(begun=F("begun") + 1, done=0, total=0)
    archive.pieces.all().delete()
    writer = ArchivePieceWriter(archive)
    write_publishable_archive_returning_manifest_hash(
        archive.challenge, writer.write, timezone.now(), _make_archive_progress_writer(archive)
    )
    if writer.waiting:
        writer.store_piece(len(writer.waiting))
    result = {"finished": timezone.now(), "size": writer.size, "sha256": writer.digest.hexdigest()}
    ChallengeArchive.objects.filter(pk=archive.pk).update(**result)
    return "made"


def _make_archive_progress_writer(archive: ChallengeArchive) -> Callable[[int, int], object]:
    """Return a callback that stores how many of the steps are done."""
    return lambda done, total: ChallengeArchive.objects.filter(pk=archive.pk).update(done=done, total=total)


def delete_pieces_and_mark_archive_failed(archive: ChallengeArchive) -> str:
    archive.pieces.all().delete()
    ChallengeArchive.objects.filter(pk=archive.pk).update(finished=timezone.now(), failed=True)
    return "given up"


def iter_archive_pieces(archive: ChallengeArchive) -> Iterator[bytes]:
    """Yield the pieces of the archive in order."""
    pieces = archive.pieces.order_by("number").values_list("body", flat=True)
    return map(bytes, pieces.iterator(chunk_size=ARCHIVE_PIECES_PER_FETCH))
