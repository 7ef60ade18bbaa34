"""Notifications: mail preferences and notices to be mailed about servers, webhooks and their messages."""

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from bcms.lib.http.message_signatures import generate_signing_secret
from servers.calls.models import Attempt, Call, Queue
from servers.notifications.events import (
    ChallengeEvent,
    ChallengeTopic,
    DeliveryState,
    EventType,
    Topic,
    WebhookFormat,
)
from servers.registry.models import Server
from servers.registry.states import list_enum_choices
from servers.teams.models import Team

WEBHOOK_TOPIC_CHOICES = [*list_enum_choices(Topic), *list_enum_choices(ChallengeTopic)]
DELIVERY_EVENT_CHOICES = [*list_enum_choices(EventType), *list_enum_choices(ChallengeEvent)]


def generate_webhook_secret() -> str:
    """A new secret for signatures; migrations name this function."""
    return generate_signing_secret()


class MailPreference(models.Model):
    """Whether a member of the team wants mail about a server. By default managers get mail and members do not."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="mail_wishes")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    wanted = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "user"], name="mail_wish_once")]


class Notice(models.Model):
    """An event to be mailed to the team, stored in the commit in which it happened."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="notices")
    happening = models.CharField(max_length=16, choices=list_enum_choices(EventType))
    queue = models.ForeignKey(Queue, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    call = models.ForeignKey(Call, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    # The attempt of the call after which it happened; the call may be tried again before the mail is written.
    attempt = models.ForeignKey(
        Attempt, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_constraint=False
    )
    reason = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now())
    due = models.DateTimeField()
    # When the mail was written; also set if nobody wanted one.
    told = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["due"], condition=Q(told__isnull=True), name="notices_by_due"),
            models.Index(fields=["server", "happening", "told"], name="notices_of_server"),
        ]


class Webhook(models.Model):
    """A URL that receives messages about the events of its owner: a server, a team or a challenge."""

    server = models.ForeignKey(Server, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks")
    # Without a constraint, as challenges are in an app above this one; they delete theirs.
    challenge_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    url = models.CharField(max_length=500)
    topics: "models.Field[list[str], list[str]]" = ArrayField(
        models.CharField(max_length=9, choices=WEBHOOK_TOPIC_CHOICES)
    )
    # Who last entered the URL or switched the webhook on. It is switched off when they no longer manage its owner.
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    format = models.CharField(
        max_length=6, choices=list_enum_choices(WebhookFormat), default=WebhookFormat.EVENTS, db_default="events"
    )
    # Of a room of Matrix: its ID; url is that of the homeserver. The access token is sealed for the homeserver, so that
    # only asking workers can read it (servers/notifications/webhooks/matrix/access_tokens.py).
    room = models.CharField(max_length=255, blank=True, default="", db_default="")
    sealed_token = models.BinaryField(default=b"", db_default=b"", editable=False)
    active = models.BooleanField(default=True)
    # Why it was switched off automatically, else empty.
    reason = models.CharField(max_length=500, blank=True)
    # The secret for signatures, and the previous one, which also signs for a day after the change.
    secret = models.CharField(max_length=60, default=generate_webhook_secret, editable=False)
    old_secret = models.CharField(max_length=60, blank=True, editable=False)
    secret_since = models.DateTimeField(db_default=Now())
    # The number of consecutive failed tries, since when, and until when nothing is sent: to let the receiver recover,
    # or because a worker is sending.
    misses = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True, blank=True)
    rest_until = models.DateTimeField(db_default=Now())
    # How many messages were left out because too many were waiting, and when the last of them was.
    left_out = models.PositiveIntegerField(default=0, db_default=0)
    left_out_last = models.DateTimeField(null=True, blank=True)
    created = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=(
                    Q(server__isnull=False, team__isnull=True, challenge_id__isnull=True)
                    | Q(server__isnull=True, team__isnull=False, challenge_id__isnull=True)
                    | Q(server__isnull=True, team__isnull=True, challenge_id__isnull=False)
                ),
                name="webhook_has_one_owner",
            )
        ]


class Delivery(models.Model):
    """A message of a webhook, stored in the commit in which the event happened; its id is the id of the message."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    happening = models.CharField(max_length=16, choices=DELIVERY_EVENT_CHOICES)
    # The challenge that the message is about, without a constraint, too.
    challenge_id = models.BigIntegerField(null=True, blank=True)
    # The JSON text that is signed and sent at every try.
    body = models.TextField()
    state = models.CharField(max_length=9, choices=list_enum_choices(DeliveryState), default=DeliveryState.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    due = models.DateTimeField(db_default=Now())
    created = models.DateTimeField(db_default=Now())
    # The last try: its time, the status and beginning of the answer, or why there was no answer.
    tried = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    answer = models.TextField(blank=True)
    error = models.TextField(blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["webhook", "due"], condition=Q(state=DeliveryState.WAITING), name="deliveries_by_due"),
            models.Index(fields=["webhook", "-created"], name="newest_deliveries"),
        ]
