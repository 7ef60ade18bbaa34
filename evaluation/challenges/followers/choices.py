"""What users chose for mail about a challenge, and what they get if they chose nothing."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from evaluation.challenges.followers.models import ChallengeFollower
from evaluation.challenges.models import Challenge
from servers.teams.models import Membership, Team
from servers.teams.permissions import User, get_logged_in_user_id


@dataclass(frozen=True, slots=True)
class MailChoice:
    """Whether a user gets mail about announcements at once, and about the discussion once a day."""

    announcements: bool
    discussion: bool


def list_teams_in_challenge(challenge: Challenge) -> QuerySet[Team]:
    """The teams that take part or asked to, and invited ones; withdrawn runs count, too."""
    return Team.objects.filter(
        Q(pk__in=challenge.entrants.values("team")) | Q(runs__phase__challenge=challenge)
    ).distinct()


def list_managers_of_teams_in_challenge(challenge: Challenge) -> QuerySet[Any]:
    return Membership.objects.filter(role=Membership.Role.MANAGER, team__in=list_teams_in_challenge(challenge))


def get_mail_choice(challenge: Challenge, user: User) -> MailChoice:
    """The choice of a user, in at most 2 queries; managers of teams in the challenge get announcements by default."""
    if not user.is_authenticated:
        return MailChoice(announcements=False, discussion=False)
    stored = ChallengeFollower.objects.filter(challenge=challenge, user=user.pk).first()
    if stored is not None:
        return MailChoice(stored.announcements, stored.discussion)
    manages = list_managers_of_teams_in_challenge(challenge).filter(user=user.pk).exists()
    return MailChoice(announcements=manages, discussion=False)


@transaction.atomic
def store_mail_choice(challenge: Challenge, user: User, choice: MailChoice) -> None:
    """Store a choice. Somebody who begins to get mail about the discussion gets posts from now on."""
    fields: dict[str, object] = {"announcements": choice.announcements, "discussion": choice.discussion}
    if choice.discussion and not get_mail_choice(challenge, user).discussion:
        fields["digested"] = timezone.now()
    ChallengeFollower.objects.update_or_create(
        challenge=challenge, user_id=get_logged_in_user_id(user), defaults=fields
    )
