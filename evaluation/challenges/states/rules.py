"""What the state of a challenge allows."""

from evaluation.challenges.models import Challenge, ChallengeState
from evaluation.errors import ChallengeError

CLOSED_STATES = frozenset({ChallengeState.CLOSED, ChallengeState.ARCHIVED})


def check_challenge_listed(challenge: Challenge, attempted_action: str) -> None:
    """ChallengeError unless teams can take part in the challenge. attempted_action: what was tried, such as "enter"."""
    if challenge.state == ChallengeState.DRAFT:
        raise ChallengeError(
            f"{challenge} is a draft. Nobody can {attempted_action} before its organizers list it on their page."
        )
    if challenge.state in CLOSED_STATES:
        raise ChallengeError(f"{challenge} is closed, so nobody can {attempted_action} any more.")


def check_challenge_not_draft(challenge: Challenge, attempted_action: str) -> None:
    """ChallengeError for a draft. attempted_action: what was tried, such as "publish a phase"."""
    if challenge.state == ChallengeState.DRAFT:
        raise ChallengeError(
            f"{challenge} is a draft that only its organizers see. List it before you {attempted_action}."
        )
