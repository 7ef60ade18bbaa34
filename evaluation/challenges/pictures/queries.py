"""Named reads of the pictures of a challenge, one query each; only those that say so read their content."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock

from cachetools import LRUCache, cached
from django.db.models import QuerySet
from django.urls import reverse

from bcms.lib.writing.markdown import MarkdownPicture, list_pictures_in_markdown
from evaluation.challenges.models import Challenge
from evaluation.challenges.pictures.models import ChallengePicture

# A long description takes half a second if it is made for that, and each of its pictures is a request.
MOST_DESCRIPTIONS_KEPT = 500


@dataclass(frozen=True, slots=True)
class ListedPicture:
    """A picture in the list of organizers. is_shown: whether the description has it."""

    picture: ChallengePicture
    is_shown: bool


def list_challenge_pictures(challenge: Challenge) -> QuerySet[ChallengePicture]:
    """In the order in which they were uploaded."""
    return challenge.pictures.defer("content").order_by("pk")


def list_shown_pictures(challenge: Challenge) -> QuerySet[ChallengePicture]:
    """Those that the description shows, in the order in which they were uploaded."""
    return list_challenge_pictures(challenge).filter(name__in=find_shown_names(challenge.description))


def list_pictures_for_organizers(challenge: Challenge) -> list[ListedPicture]:
    shown = find_shown_names(challenge.description)
    return [ListedPicture(picture, picture.name in shown) for picture in list_challenge_pictures(challenge)]


def list_pictures_for_markdown(challenge: Challenge) -> tuple[MarkdownPicture, ...]:
    """Those that the description of the challenge can show on the site."""
    return tuple(
        MarkdownPicture(name, reverse("challenge-picture", args=[challenge.slug, name]), width, height)
        for name, width, height in list_challenge_pictures(challenge).values_list("name", "width", "height")
    )


@cached(LRUCache(MOST_DESCRIPTIONS_KEPT), key=lambda description: sha256(description.encode()).digest(), lock=Lock())
def find_shown_names(description: str) -> frozenset[str]:
    """The names of pictures that a description has, of this challenge or not."""
    return frozenset(picture.name for picture in list_pictures_in_markdown(description))


def find_picture_content(challenge: Challenge, name: str) -> bytes | None:
    """None if the challenge has no such picture."""
    content = challenge.pictures.filter(name=name).values_list("content", flat=True).first()
    return None if content is None else bytes(content)


def load_picture_contents(pictures: Iterable[ChallengePicture]) -> dict[int, bytes]:
    """{id of a picture: its content}, of those that are still there."""
    of_these = ChallengePicture.objects.filter(pk__in=[picture.pk for picture in pictures])
    return {pk: bytes(content) for pk, content in of_these.values_list("pk", "content")}
