"""Archives for organizers: asked for on a page, made by a worker, kept in pieces until the next one is asked for."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from celery import current_app
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from evaluation.archives.exporting import export_challenge
from evaluation.archives.models import ArchivePiece, ChallengeArchive
from evaluation.models import Challenge

# The task by its name: evaluation/tasks.py stands above this module.
MAKE = "evaluation.tasks.make_archives"
PIECE = 1 << 20
# So often a worker may die over an archive before it is given up.
MOST_BEGUN = 3
READ_AT_ONCE = 8


@transaction.atomic
def ask(challenge: Challenge, by: Any) -> ChallengeArchive:
    """Have a worker make the archive anew; one that is being made goes on, one that is finished makes room."""
    Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    ChallengeArchive.objects.filter(challenge=challenge, finished__isnull=False).delete()
    archive, _ = ChallengeArchive.objects.get_or_create(challenge=challenge, defaults={"by": by})
    transaction.on_commit(lambda: current_app.send_task(MAKE), robust=True)
    return archive


def to_make() -> list[ChallengeArchive]:
    """Those that were asked for, the oldest first."""
    return list(ChallengeArchive.objects.filter(finished__isnull=True).select_related("challenge").order_by("pk"))


class Store:
    """Keeps what is written to it in pieces of one size."""

    def __init__(self, archive: ChallengeArchive) -> None:
        self.archive = archive
        self.waiting = bytearray()
        self.number, self.size, self.digest = 0, 0, sha256()

    def write(self, data: bytes) -> None:
        self.digest.update(data)
        self.size += len(data)
        self.waiting += data
        while len(self.waiting) >= PIECE:
            self.keep(PIECE)

    def keep(self, length: int) -> None:
        body = bytes(self.waiting[:length])
        ArchivePiece.objects.create(archive=self.archive, number=self.number, body=body)
        self.number += 1
        del self.waiting[:length]


def make(archive: ChallengeArchive) -> str:
    """Make an archive, telling how far it is."""
    if archive.begun >= MOST_BEGUN:
        return give_up(archive)
    ChallengeArchive.objects.filter(pk=archive.pk).update(begun=F("begun") + 1, done=0, total=0)
    archive.pieces.all().delete()
    store = Store(archive)
    export_challenge(archive.challenge, store.write, timezone.now(), teller(archive))
    if store.waiting:
        store.keep(len(store.waiting))
    told = {"finished": timezone.now(), "size": store.size, "sha256": store.digest.hexdigest()}
    ChallengeArchive.objects.filter(pk=archive.pk).update(**told)
    return "made"


def teller(archive: ChallengeArchive) -> Callable[[int, int], object]:
    return lambda done, total: ChallengeArchive.objects.filter(pk=archive.pk).update(done=done, total=total)


def give_up(archive: ChallengeArchive) -> str:
    archive.pieces.all().delete()
    ChallengeArchive.objects.filter(pk=archive.pk).update(finished=timezone.now(), failed=True)
    return "given up"


def content_of(archive: ChallengeArchive) -> Iterator[bytes]:
    """The archive, piece by piece."""
    pieces = archive.pieces.order_by("number").values_list("body", flat=True)
    return map(bytes, pieces.iterator(chunk_size=READ_AT_ONCE))
