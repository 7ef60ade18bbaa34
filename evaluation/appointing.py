"""Who organizes a challenge: its organizers name each other, and one remains; who named and released whom is kept."""

from typing import Any

from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string

from evaluation.entrants import team_in
from evaluation.errors import ChallengeError
from evaluation.models import Challenge, OrganizerEvent
from servers.telling.messages import site_link

What = OrganizerEvent.What


@transaction.atomic
def appoint(challenge: Challenge, user: Any, by: Any) -> bool:
    """Let a user organize the challenge, who is told so by mail; False for one who does already.

    ChallengeError for a member of a team that takes part: organizers see what all teams say.
    """
    if challenge.organizers.filter(pk=user.pk).exists():
        return False
    rival = team_in(challenge, user)
    if rival is not None:
        raise ChallengeError(
            f"{user.get_username()} is on {rival}, which takes part in {challenge}, and organizers see what all teams "
            "say; name somebody who is on no team in it."
        )
    challenge.organizers.add(user)
    challenge.organizer_events.create(what=What.NAMED, organizer=user, by=by)
    tell(challenge, user)
    return True


def tell(challenge: Challenge, user: Any) -> None:
    if not user.email:
        return
    context = {"challenge": challenge, "link": site_link("challenge-organize", challenge.slug)}
    subject = f"[BCMS] You organize {challenge}"
    body = render_to_string("evaluation/email/organizer.txt", context)
    send_mail(" ".join(subject.split()), body, None, [user.email])


@transaction.atomic
def release(challenge: Challenge, name: str, by: Any) -> None:
    """Somebody organizes the challenge no more. ChallengeError for who does not, and for the last one."""
    Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    user = challenge.organizers.filter(username=name).first()
    if user is None:
        raise ChallengeError(f"{name or 'Nobody'} does not organize {challenge}.")
    if challenge.organizers.count() == 1:
        raise ChallengeError(f"{name} alone organizes {challenge}: name somebody else first.")
    challenge.organizers.remove(user)
    challenge.organizer_events.create(what=What.RELEASED, organizer=user, by=by)
