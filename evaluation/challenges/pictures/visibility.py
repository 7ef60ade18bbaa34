"""Who sees which pictures of a challenge: its organizers all, others those that its description shows.

Organizers upload pictures before they save the description that shows them, and may not want to show them yet.
"""

from collections.abc import Sequence

from django.db.models import QuerySet

from evaluation.challenges.models import Challenge
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.pictures.models import ChallengePicture
from evaluation.challenges.pictures.queries import find_shown_names, list_challenge_pictures, list_shown_pictures
from evaluation.visibility import is_staff, list_visible_challenges
from servers.teams.permissions import User


def list_visible_pictures(user: User, challenge: Challenge) -> QuerySet[ChallengePicture]:
    """Those of a challenge that the user sees, in the order in which they were uploaded."""
    return list_challenge_pictures(challenge) if can_organize(user, challenge) else list_shown_pictures(challenge)


def find_visible_pictures_of_any_challenge(user: User, names: Sequence[str]) -> dict[str, ChallengePicture]:
    """{name: a picture that the user sees in some challenge}, without their content; 2 queries."""
    visible = list_visible_challenges(user)
    organized = set(visible.filter(organizers=user.pk).values_list("pk", flat=True))
    named = ChallengePicture.objects.filter(challenge__in=visible.values("pk"), name__in=names)
    found: dict[str, ChallengePicture] = {}
    for picture in named.defer("content").select_related("challenge").order_by("pk"):
        shown = find_shown_names(picture.challenge.description)
        if picture.name in shown or picture.challenge_id in organized or is_staff(user):
            found.setdefault(picture.name, picture)
    return found
