"""Store, change and delete the pictures of a challenge."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.db import transaction
from django.db.models import Sum

from bcms.lib.pictures.page_picture import PagePicture
from bcms.lib.text import clip_text_replacing_unprintable
from evaluation.challenges.models import Challenge
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.pictures.models import ChallengePicture
from evaluation.challenges.pictures.queries import find_shown_names
from evaluation.errors import ChallengeError
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import User

MEBIBYTE = 1 << 20
MOST_FILE_BYTES = 5 * MEBIBYTE
MOST_FILES = 10
MOST_REQUEST_BYTES = 20 * MEBIBYTE
# Of a challenge; bytes as they are stored, which are fewer than those of the uploaded files.
MOST_PICTURES = 40
MOST_STORED_BYTES = 20 * MEBIBYTE
LONGEST_FILE_NAME = 100
LONGEST_ALTERNATIVE_TEXT = 500
NAME_DIGITS = 24


@dataclass(frozen=True, slots=True)
class NewPicture:
    """A picture to store. file_name: of the file that was uploaded."""

    file_name: str
    picture: PagePicture
    alternative_text: str = ""

    @property
    def name(self) -> str:
        return make_picture_name(self.picture.content)


def make_picture_name(content: bytes) -> str:
    return f"{sha256(content).hexdigest()[:NAME_DIGITS]}.webp"


@transaction.atomic
def add_pictures_unless_removed(
    challenge: Challenge, new: Sequence[NewPicture], organizer: User
) -> list[ChallengePicture]:
    """What add_pictures does, for an organizer. ChallengeError also for one who was removed while the pictures were
    read, which takes seconds.
    """
    _lock_challenge_unless_deleted(challenge)
    if not can_organize(organizer, challenge):
        raise ChallengeError(f"You do not organize {challenge} any more. Ask one of its organizers.")
    return add_pictures(challenge, new)


@transaction.atomic
def add_pictures(challenge: Challenge, new: Sequence[NewPicture]) -> list[ChallengePicture]:
    """Store all of the pictures, or none; those that the challenge has already get the alternative text, if any.

    ChallengeError if it would have more than MOST_PICTURES or MOST_STORED_BYTES.
    """
    _lock_challenge_unless_deleted(challenge)
    known = set(challenge.pictures.filter(name__in=[each.name for each in new]).values_list("name", flat=True))
    missing = {each.name: each for each in new if each.name not in known}
    check_limits(challenge, [len(each.picture.content) for each in missing.values()])
    for each in missing.values():
        _store_picture(challenge, each)
    stored = {each.name: each for each in challenge.pictures.defer("content").filter(name__in=[*known, *missing])}
    for each in new:
        if each.name in known and each.alternative_text:
            stored[each.name] = replace_alternative_text(stored[each.name], each.alternative_text)
    return [stored[name] for name in dict.fromkeys(each.name for each in new)]


def _lock_challenge_unless_deleted(challenge: Challenge) -> Challenge:
    """The challenge as it is now, which stays so until the end of the transaction."""
    locked = Challenge.objects.select_for_update(no_key=True).filter(pk=challenge.pk).first()
    if locked is None:
        raise ChallengeError(f"{challenge} was deleted in the meantime.")
    return locked


def check_limits(challenge: Challenge, new_sizes: Sequence[int]) -> None:
    """ChallengeError if pictures of these sizes, in bytes, are too many or too large for the challenge."""
    number = challenge.pictures.count() + len(new_sizes)
    if new_sizes and number > MOST_PICTURES:
        raise ChallengeError(
            f"{challenge} would have {number} pictures, and {MOST_PICTURES} are the most. Delete some that it no "
            "longer needs first."
        )
    stored = challenge.pictures.aggregate(bytes=Sum("size"))["bytes"] or 0
    if new_sizes and stored + sum(new_sizes) > MOST_STORED_BYTES:
        raise ChallengeError(
            f"The pictures of {challenge} would take more than {MOST_STORED_BYTES // MEBIBYTE} MiB. Upload smaller "
            "ones, or delete some that it no longer needs first."
        )


def _store_picture(challenge: Challenge, new: NewPicture) -> None:
    file_name = clip_text_replacing_unprintable(new.file_name, LONGEST_FILE_NAME)
    text = clip_text_replacing_unprintable(new.alternative_text, LONGEST_ALTERNATIVE_TEXT)
    ChallengePicture.objects.create(
        challenge=challenge,
        name=new.name,
        file_name=file_name,
        alternative_text=text,
        width=new.picture.width,
        height=new.picture.height,
        size=len(new.picture.content),
        content=new.picture.content,
    )
    after = {"picture": new.name, "file": file_name, "alternative text": text}
    record_audit_event(AuditAction.CHALLENGE_CHANGED, challenge, after=after, challenge_id=challenge.pk)


@transaction.atomic
def replace_alternative_text(picture: ChallengePicture, text: str) -> ChallengePicture:
    """The picture with this text, for the Markdown to copy; descriptions keep the text that they have.

    ChallengeError if it was deleted.
    """
    picture = _lock_picture_unless_deleted(picture)
    before = picture.alternative_text
    if text == before:
        return picture
    picture.alternative_text = text
    picture.save(update_fields=["alternative_text"])
    record_audit_event(
        AuditAction.CHALLENGE_CHANGED,
        picture.challenge,
        before={"picture": picture.name, "alternative text": before},
        after={"picture": picture.name, "alternative text": text},
        challenge_id=picture.challenge_id,
    )
    return picture


def _lock_picture_unless_deleted(picture: ChallengePicture) -> ChallengePicture:
    """The picture as it is now, without its content, which stays so until the end of the transaction."""
    pictures = ChallengePicture.objects.defer("content").select_related("challenge")
    locked = pictures.select_for_update(of=("self",)).filter(pk=picture.pk).first()
    if locked is None:
        raise ChallengeError(f"{picture} was deleted in the meantime.")
    return locked


def check_picture_is_unused(challenge: Challenge, picture: ChallengePicture) -> None:
    """ChallengeError if the description shows the picture."""
    if picture.name in find_shown_names(challenge.description):
        raise ChallengeError(
            f"The description shows {picture}. Remove ![…]({picture.name}) from it and save it, then delete the "
            "picture."
        )


@transaction.atomic
def delete_unused_picture(picture: ChallengePicture) -> None:
    """ChallengeError if the description shows it, or it was deleted."""
    challenge = _lock_challenge_unless_deleted(picture.challenge)
    picture = _lock_picture_unless_deleted(picture)
    check_picture_is_unused(challenge, picture)
    before = {"picture": picture.name, "file": picture.file_name}
    picture.delete()
    record_audit_event(AuditAction.CHALLENGE_CHANGED, challenge, before=before, challenge_id=challenge.pk)
