"""The log of what happened to a phase, shown on the page of the challenge and kept in its archive.

Each event is recorded in the audit trail, too, which stays when the phase is deleted.
"""

from evaluation.challenges.models import Phase, PhaseEvent
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import User

PhaseEventType = PhaseEvent.Type


def record_phase_event(
    phase: Phase, event_type: PhaseEvent.Type, user: User | None = None, *, details: str = "", reason: str = ""
) -> None:
    """Log a change of a phase. user: who made it, None for the site; details: such as the old and the new date."""
    author = user.pk if user is not None else None
    PhaseEvent.objects.create(phase=phase, what=event_type, by_id=author, words=details, reason=reason)
    after = {"event": event_type.label} | ({"details": details} if details else {})
    record_audit_event(
        AuditAction.PHASE_CHANGED, phase, after=after, reason=reason, actor=user, challenge_id=phase.challenge_id
    )
