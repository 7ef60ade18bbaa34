"""Checks of what the state of a phase allows: whether it is open, has ended, or is published."""

from collections.abc import Iterable
from datetime import UTC, datetime

from evaluation.challenges.models import Phase, Task
from evaluation.challenges.states.rules import check_challenge_listed
from evaluation.errors import ChallengeError

# Another year can only be a slip, such as one with a digit missing.
EARLIEST, LATEST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def format_phase_date(date: datetime) -> str:
    return date.strftime("%-d %B %Y, %H:%M UTC")


def check_phase_dates(*dates: datetime | None) -> None:
    """ChallengeError for a date that can only be a slip; None is no date."""
    for date in dates:
        if date is not None and not EARLIEST <= date < LATEST:
            raise ChallengeError(f"The year {date.year} is not from {EARLIEST.year} to {LATEST.year - 1}. Correct it.")


def check_new_end_of_unpublished_phase(phase: Phase, new_end: datetime | None, now: datetime) -> None:
    """ChallengeError if the phase is published, or if the end is not new, in the past or before the beginning."""
    check_phase_publication_not_begun(phase, "change its end")
    check_phase_dates(new_end)
    if new_end == phase.closes:
        raise ChallengeError("The phase already has this end. Enter another one.")
    if new_end is not None and new_end <= max(now, phase.opens):
        raise ChallengeError("The new end is in the past or before the beginning of the phase. Enter a later one.")


def check_phase_publication_not_begun(phase: Phase, attempted_action: str) -> None:
    """ChallengeError if any part of the phase is published. attempted_action: what was tried, such as "end it
    earlier".
    """
    if phase.published or phase.publish_asked:
        raise ChallengeError(f"The {phase.sort} phase is published, so nobody can {attempted_action} any more.")
    check_test_gold_unpublished(phase, phase.challenge.tasks.all(), attempted_action)


def check_phase_open(phase: Phase, now: datetime, attempted_action: str = "enter") -> None:
    """ChallengeError if the challenge is not listed, or the phase not open yet, over or frozen.

    attempted_action: what was tried, such as "enter".
    """
    check_challenge_listed(phase.challenge, attempted_action)
    if phase.opens > now:
        opens = format_phase_date(phase.opens)
        raise ChallengeError(f"The {phase.sort} phase opens on {opens}. You can {attempted_action} then.")
    if phase.closes and phase.closes <= now:
        closed = format_phase_date(phase.closes)
        raise ChallengeError(f"The {phase.sort} phase closed on {closed}. It is too late to {attempted_action}.")
    if phase.frozen:
        raise ChallengeError(
            f"The organizers have frozen the {phase.sort} phase; the page of the challenge says why. "
            f"You can {attempted_action} when they continue it."
        )


def explain_phase_closed(phase: Phase, now: datetime, attempted_action: str) -> str:
    """Why users cannot do this in the phase now, in a sentence; empty if the phase is open."""
    try:
        check_phase_open(phase, now, attempted_action)
    except ChallengeError as error:
        return str(error)
    return ""


def check_ended_if_test_phase(phase: Phase, now: datetime) -> None:
    """ChallengeError for a test phase that has not ended: teams could still use a published gold standard."""
    if phase.sort != Phase.Type.TEST or (phase.closes and phase.closes <= now):
        return
    if phase.closes:
        raise ChallengeError(
            f"The test phase ends on {format_phase_date(phase.closes)}, and teams can submit until then. Publish it "
            "afterwards, or change its end first."
        )
    raise ChallengeError("The test phase has no end, so teams can still submit. Set its end first, then publish it.")


def check_test_gold_unpublished(phase: Phase, tasks: Iterable[Task], attempted_action: str = "enter") -> None:
    """ChallengeError if the test gold standard of one of the tasks is published. attempted_action: what was tried."""
    if phase.sort != Phase.Type.TEST:
        return
    gold = phase.golds.filter(task__in=tasks, published__isnull=False).select_related("task").first()
    if gold is not None:
        raise ChallengeError(
            f"The gold standard of {gold.task} in the test phase is published, "
            f"so nobody can {attempted_action} any more."
        )
