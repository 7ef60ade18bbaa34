"""Named reads of the pictures of a challenge, one query each; none reads their content but find_picture_content."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.urls import reverse

from bcms.lib.writing.markdown import MarkdownPicture, list_pictures_in_markdown
from evaluation.challenges.models import Challenge
from evaluation.challenges.pictures.models import ChallengePicture


@dataclass(frozen=True, slots=True)
class ListedPicture:
    """A picture in the list of organizers. is_shown: whether the description has it."""

    picture: ChallengePicture
    is_shown: bool


def list_challenge_pictures(challenge: Challenge) -> QuerySet[ChallengePicture]:
    """In the order in which they were uploaded."""
    return challenge.pictures.defer("content").order_by("pk")


def list_pictures_for_organizers(challenge: Challenge) -> list[ListedPicture]:
    shown = find_shown_names(challenge.description)
    return [ListedPicture(picture, picture.name in shown) for picture in list_challenge_pictures(challenge)]


def list_pictures_for_markdown(challenge: Challenge) -> tuple[MarkdownPicture, ...]:
    """Those that the description of the challenge can show on the site."""
    return tuple(
        MarkdownPicture(name, reverse("challenge-picture", args=[challenge.slug, name]), width, height)
        for name, width, height in list_challenge_pictures(challenge).values_list("name", "width", "height")
    )


def find_shown_names(description: str) -> frozenset[str]:
    """The names of pictures that a description has, of this challenge or not."""
    return frozenset(picture.name for picture in list_pictures_in_markdown(description))


def find_picture_content(challenge: Challenge, name: str) -> bytes | None:
    """None if the challenge has no such picture."""
    content = challenge.pictures.filter(name=name).values_list("content", flat=True).first()
    return None if content is None else bytes(content)


def has_picture(challenge: Challenge, name: str) -> bool:
    return challenge.pictures.filter(name=name).exists()


def list_shared_pictures(challenges: QuerySet[Challenge], names: Sequence[str]) -> list[ChallengePicture]:
    """One picture for each name that any of the challenges has, with its content."""
    of_any = ChallengePicture.objects.filter(challenge__in=challenges.values("pk"), name__in=names)
    return list(of_any.order_by("name", "pk").distinct("name"))
