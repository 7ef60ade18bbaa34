"""The log of what happened to a phase, shown on the page of the challenge and kept in its archive.

Each event is recorded in the audit trail, too, which stays when the phase is deleted.
"""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from evaluation.challenges.models import ChallengeState, Phase, PhaseEvent
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import User

PhaseEventType = PhaseEvent.Type
# Of what followers of the challenge get a mail.
MAILED_EVENTS = frozenset(
    {
        *(PhaseEventType.BEGUN, PhaseEventType.ENDED, PhaseEventType.FROZEN, PhaseEventType.THAWED),
        *(PhaseEventType.MOVED, PhaseEventType.PUBLISHED),
    }
)
# Enough for three phases; switching a phase on and off must not fill the mailboxes of others.
DAILY_MAILED_EVENTS = 20


def record_phase_event(
    phase: Phase, event_type: PhaseEvent.Type, user: User | None = None, *, details: str = "", reason: str = ""
) -> None:
    """Log a change of a phase. user: who made it, None for the site; details: such as the old and the new date."""
    author = user.pk if user is not None else None
    to_mail = event_type in MAILED_EVENTS and _may_mail(phase)
    fields = {"what": event_type, "by_id": author, "words": details, "reason": reason, "to_mail": to_mail}
    PhaseEvent.objects.create(phase=phase, **fields)
    after = {"event": event_type.label} | ({"details": details} if details else {})
    record_audit_event(
        AuditAction.PHASE_CHANGED, phase, after=after, reason=reason, actor=user, challenge_id=phase.challenge_id
    )


def _may_mail(phase: Phase) -> bool:
    """Nobody hears of drafts, nor of more than DAILY_MAILED_EVENTS in a day."""
    if phase.challenge.state == ChallengeState.DRAFT:
        return False
    mails = Q(to_mail=True) | Q(mailed__gt=timezone.now() - timedelta(days=1))
    return PhaseEvent.objects.filter(mails, phase__challenge=phase.challenge_id).count() < DAILY_MAILED_EVENTS
