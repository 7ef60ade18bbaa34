"""Which teams take part in a challenge: terms accepted, approved by the organizers, named by them."""

from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from evaluation.errors import ChallengeError
from evaluation.models import Challenge, Entrance, Entrant, Labeller, Phase
from servers.models import Team


def entrant_of(challenge: Challenge, team: Team) -> Entrant | None:
    return Entrant.objects.filter(challenge=challenge, team=team).first()


def team_in(challenge: Challenge, user: Any) -> Team | None:
    """A team of the user's that takes part in the challenge, or asks to."""
    teams = Team.objects.filter(members=user.pk)
    return (teams.filter(entrants__challenge=challenge) | teams.filter(runs__phase__challenge=challenge)).first()


def refuse_organizers(challenge: Challenge, team: Team) -> None:
    """ChallengeError for a team with an organizer of the challenge on it."""
    inside = team.members.filter(challenges=challenge).order_by("username").first()
    if inside is not None:
        raise ChallengeError(
            f"{inside} of {team} organizes {challenge}, and organizers see what all teams say: let them leave the "
            "team, or let another organizer release them, then try again."
        )


def refuse_as_member(team: Team, user: Any) -> None:
    """ChallengeError for an organizer of a challenge in which the team takes part, or asks to."""
    own = Challenge.objects.filter(organizers=user.pk)
    inside = own.filter(Q(entrants__team=team) | Q(phases__runs__team=team)).order_by("pk").first()
    if inside is not None:
        raise ChallengeError(
            f"You organize {inside}, in which {team} takes part, and organizers see what all teams say: let another "
            "organizer release you, then accept the invitation."
        )


@transaction.atomic
def join(challenge: Challenge, team: Team, by: Any) -> Entrant:
    """A member of the team accepts the terms for it and asks to take part; asked twice, the first acceptance stays, as
    long as the terms are the same.

    ChallengeError for whoever is not on the team, for one with an organizer on it, and where only teams that the
    organizers name take part.
    """
    if not team.members.filter(pk=by.pk).exists():
        raise ChallengeError(f"Only members of {team} may enter it; ask them to do it.")
    refuse_organizers(challenge, team)
    entrant = entrant_of(challenge, team)
    if entrant is None:
        if challenge.entrance == Entrance.INVITED:
            raise ChallengeError(
                f"Only teams that the organizers name take part in {challenge}; ask them to name {team}."
            )
        entrant, _ = Entrant.objects.get_or_create(challenge=challenge, team=team)
    other = Entrant.objects.filter(pk=entrant.pk).exclude(accepted__isnull=False, accepted_terms=challenge.terms)
    other.update(accepted=timezone.now(), accepted_by=by, accepted_terms=challenge.terms)
    entrant.refresh_from_db()
    return entrant


def approve(challenge: Challenge, team: Team, by: Any) -> Entrant:
    """An organizer lets the team take part; it is named by that where only named teams may. ChallengeError for one
    with an organizer on it."""
    refuse_organizers(challenge, team)
    entrant, _ = Entrant.objects.get_or_create(challenge=challenge, team=team)
    Entrant.objects.filter(pk=entrant.pk, approved__isnull=True).update(approved=timezone.now(), approved_by=by)
    entrant.refresh_from_db()
    return entrant


def disapprove(challenge: Challenge, team: Team) -> bool:
    """Take the approval back: the team enters and uploads nothing more; False when it had none. Its runs stay."""
    rows = Entrant.objects.filter(challenge=challenge, team=team, approved__isnull=False)
    return bool(rows.update(approved=None, approved_by=None))


def refuse_not_entered(challenge: Challenge, team: Team) -> None:
    """ChallengeError, with what to do, for a team that may not take part (yet). Asked before every entry and upload."""
    refuse_organizers(challenge, team)
    if reason := what_is_missing(challenge, entrant_of(challenge, team), team):
        raise ChallengeError(reason)


def refuse_insiders(phase: Phase, team: Team) -> None:
    """ChallengeError for a team with a member who labelled the blind articles of the phase, and knows what is right."""
    if not phase.corpus.blind:
        return
    rows = Labeller.objects.filter(labelling__corpus=phase.corpus_id, labels__isnull=False, user__teams=team)
    insider = rows.select_related("user").first()
    if insider is not None:
        raise ChallengeError(
            f"{insider} of {team} has labelled the articles of the {phase.sort} phase and knows what is right: let "
            "them leave the team, which takes part without them, or write to the organizers."
        )


def what_is_missing(challenge: Challenge, entrant: Entrant | None, team: Team) -> str:
    """Why the team may not take part, in one sentence that says what to do; empty when it may."""
    approved = entrant is not None and entrant.approved is not None
    if challenge.entrance == Entrance.INVITED and not approved:
        return f"Only teams that the organizers name take part in {challenge}; ask them to name {team}."
    if challenge.terms and (entrant is None or entrant.accepted is None):
        return f"Nobody has accepted the terms of {challenge} for {team}; do that on the challenge's page, then again."
    if challenge.terms and entrant is not None and not entrant.accepts(challenge.terms):
        return (
            f"The terms of {challenge} were changed after they were accepted for {team}; accept them anew on its page."
        )
    if challenge.approve_teams and not approved:
        if entrant is None:
            return f"The organizers of {challenge} approve each team; ask for it on the challenge's page."
        return f"The organizers of {challenge} have not approved {team} yet; wait for them, or write to them."
    return ""
