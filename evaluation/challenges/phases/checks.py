"""Checks of what the state of a phase allows: whether it is open, has ended, or is published."""

from collections.abc import Iterable
from datetime import datetime

from evaluation.challenges.models import Phase, Task
from evaluation.errors import ChallengeError


def format_phase_date(date: datetime) -> str:
    return date.strftime("%-d %B %Y, %H:%M UTC")


def check_new_phase_end(phase: Phase, closes: datetime | None, now: datetime) -> None:
    """ChallengeError if the phase is published, or if the end is not new, in the past or before the beginning."""
    check_phase_unpublished(phase, "change its end")
    if closes == phase.closes:
        raise ChallengeError("The phase already has this end. Enter another one.")
    if closes is not None and closes <= max(now, phase.opens):
        raise ChallengeError("The new end is in the past or before the beginning of the phase. Enter a later one.")


def check_phase_unpublished(phase: Phase, action: str) -> None:
    """ChallengeError if any part of the phase is published. action: what was tried, such as "end it earlier"."""
    if phase.published or phase.publish_asked:
        raise ChallengeError(f"The {phase.sort} phase is published, so nobody can {action} any more.")
    check_gold_unpublished(phase, phase.challenge.tasks.all(), action)


def check_phase_open(phase: Phase, now: datetime, action: str = "enter") -> None:
    """ChallengeError if the phase is not open yet, over or frozen. action: what was tried, such as "enter"."""
    if phase.opens > now:
        opens = format_phase_date(phase.opens)
        raise ChallengeError(f"The {phase.sort} phase opens on {opens}. You can {action} then.")
    if phase.closes and phase.closes <= now:
        closed = format_phase_date(phase.closes)
        raise ChallengeError(f"The {phase.sort} phase closed on {closed}. It is too late to {action}.")
    if phase.frozen:
        raise ChallengeError(
            f"The organizers have frozen the {phase.sort} phase; the page of the challenge says why. You can {action} "
            "when they continue it."
        )


def check_test_ended(phase: Phase, now: datetime) -> None:
    """ChallengeError for a test phase that has not ended: teams could still use a published gold standard."""
    if phase.sort != Phase.Type.TEST or (phase.closes and phase.closes <= now):
        return
    if phase.closes:
        raise ChallengeError(
            f"The test phase ends on {format_phase_date(phase.closes)}, and teams can submit until then. Publish it "
            "afterwards, or change its end first."
        )
    raise ChallengeError("The test phase has no end, so teams can still submit. Set its end first, then publish it.")


def check_gold_unpublished(phase: Phase, tasks: Iterable[Task], action: str = "enter") -> None:
    """ChallengeError if the test gold standard of one of the tasks is published. action: what was tried."""
    if phase.sort != Phase.Type.TEST:
        return
    gold = phase.golds.filter(task__in=tasks, published__isnull=False).select_related("task").first()
    if gold is not None:
        raise ChallengeError(
            f"The gold standard of {gold.task} in the test phase is published, so nobody can {action} any more."
        )
