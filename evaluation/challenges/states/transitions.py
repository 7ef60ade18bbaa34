"""Change the state of a challenge: draft, listed, closed, archived.

| from | to | when |
|---|---|---|
| draft | listed | at any time |
| listed | draft | while no team takes part and nothing is published |
| listed | closed | at any time; the queues of its phases are held |
| closed | listed | at any time; phases that have not ended continue |
| closed | archived | at any time |
| archived | closed | at any time |
"""

from collections.abc import Mapping

from django.db import transaction
from django.db.models import Q

from evaluation.challenges.models import Challenge, ChallengeState, Entrant
from evaluation.challenges.phases.lifecycle import hold_or_release_phase_and_live_queues
from evaluation.challenges.webhooks.deliveries import delete_deliveries_to_teams
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event

NEXT_STATES: Mapping[str, tuple[ChallengeState, ...]] = {
    ChallengeState.DRAFT: (ChallengeState.LISTED,),
    ChallengeState.LISTED: (ChallengeState.CLOSED, ChallengeState.DRAFT),
    ChallengeState.CLOSED: (ChallengeState.LISTED, ChallengeState.ARCHIVED),
    ChallengeState.ARCHIVED: (ChallengeState.CLOSED,),
}


@transaction.atomic
def change_challenge_state(challenge: Challenge, new_state: ChallengeState) -> bool:
    """Change the state, and hold or release the queues of all phases. False if the challenge has that state already.

    ChallengeError for a change that is not in the table above.
    """
    before = Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    challenge.state = before.state
    if before.state == new_state:
        return False
    if new_state not in NEXT_STATES[before.state]:
        choices = " or ".join(NEXT_STATES[before.state])
        raise ChallengeError(
            f"{challenge} is {before.state} and cannot become {new_state} at once. Change it to {choices} first."
        )
    if new_state == ChallengeState.DRAFT:
        check_nothing_public(before, "become a draft again. Close it instead")
    Challenge.objects.filter(pk=challenge.pk).update(state=new_state)
    challenge.state = new_state
    if new_state == ChallengeState.DRAFT:
        delete_deliveries_to_teams(challenge)
    record_audit_event(
        AuditAction.CHALLENGE_STATE_CHANGED,
        challenge,
        before={"state": before.state},
        after={"state": new_state},
        challenge_id=challenge.pk,
    )
    for phase in challenge.phases.order_by("pk"):
        hold_or_release_phase_and_live_queues(phase)
    return True


def check_nothing_public(challenge: Challenge, refused_change: str) -> None:
    """ChallengeError if a team takes part or something is published. refused_change: ends the sentence that says so."""
    if reason := _find_public_part(challenge):
        raise ChallengeError(f"{reason}, so {challenge} cannot {refused_change}.")


def _find_public_part(challenge: Challenge) -> str:
    """What others know of the challenge, as the beginning of a sentence; empty if there is nothing."""
    entrant = Entrant.objects.filter(challenge=challenge, accepted__isnull=False).select_related("team").first()
    if entrant is not None:
        return f"{entrant.team} takes part or asked to"
    of_team = Q(phase__challenge=challenge, team__isnull=False)
    if any(model.objects.filter(of_team).exists() for model in (Run, Upload)):
        return "Teams have entered servers or uploaded runs"
    published = Q(published__isnull=False) | Q(publish_asked__isnull=False)
    if challenge.phases.filter(published).exists():
        return "A phase is published"
    if GoldStandard.objects.filter(published, phase__challenge=challenge).exists():
        return "A task is published"
    return ""
