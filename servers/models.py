"""The models of this app. Django looks for them here; import them from the models module of their topic."""

from servers.audit.models import AuditEvent
from servers.availability.models import DayTally, DayUptime, Downtime, Figures, HourTally, Maintenance
from servers.calls.models import Attempt, AttemptBody, Batch, Call, Callback, Queue
from servers.credentials.models import CallCredentials, SigningSecret
from servers.inbox.models import InboxEntry
from servers.notifications.models import Delivery, MailPreference, Notice, Webhook
from servers.pasted_texts.models import PastedText, PastedTextCall
from servers.registry.models import Server, ServerEvent, Trial
from servers.review.models import ReviewDecision
from servers.teams.models import Invitation, Membership, Team

__all__ = [
    "Attempt",
    "AttemptBody",
    "AuditEvent",
    "Batch",
    "Call",
    "CallCredentials",
    "Callback",
    "DayTally",
    "DayUptime",
    "Delivery",
    "Downtime",
    "Figures",
    "HourTally",
    "InboxEntry",
    "Invitation",
    "MailPreference",
    "Maintenance",
    "Membership",
    "Notice",
    "PastedText",
    "PastedTextCall",
    "Queue",
    "ReviewDecision",
    "Server",
    "ServerEvent",
    "SigningSecret",
    "Team",
    "Trial",
    "Webhook",
]
