"""Pasted texts, and one call for each server that a text is sent to."""

import uuid
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.results.models import RESULT_KIND_CHOICES
from servers.registry.models import Server
from servers.registry.states import list_enum_choices

LONGEST_TITLE = 500
# Nobody sees an older text; the next deletion of old rows deletes it.
KEPT_FOR = timedelta(hours=24)


class PastedCallState(StrEnum):
    """WAITING and ASKING are open; a call that is open for too long ends by itself (queries.py)."""

    WAITING = "waiting"
    ASKING = "asking"
    ANSWERED = "answered"
    FAILED = "failed"
    NOT_SENT = "not sent"


OPEN_PASTED_CALLS = (PastedCallState.WAITING, PastedCallState.ASKING)


class PastedText(models.Model):
    """A text of one account, which alone sees it. It is no article: nothing else reads this table."""

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    title = models.CharField(max_length=LONGEST_TITLE, blank=True)
    # Lines without space at their ends, none of them empty.
    text = models.TextField()
    created = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(fields=["user", "created"], name="pasted_texts_of_account"),
            models.Index(fields=["created"], name="pasted_texts_by_age"),
        ]

    def __str__(self) -> str:
        return str(self.key)

    @property
    def lines(self) -> list[str]:
        """The passages that servers get: the title, which is the first line of a text without one, and the rest."""
        return [*([self.title] if self.title else []), *self.text.split("\n")]

    @property
    def expires(self) -> datetime:
        return self.created + KEPT_FOR

    @property
    def canonical_text(self) -> str:
        """What positions refer to."""
        return "\n".join(self.lines)


class PastedTextCall(models.Model):
    """One server that gets a text, and its answer. Nothing of it counts in the figures of the server."""

    text = models.ForeignKey(PastedText, on_delete=models.CASCADE, related_name="calls")
    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=8, choices=list_enum_choices(PastedCallState), default=PastedCallState.WAITING)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    # Why there is no answer (bcms/pasted_texts/call_states.py).
    failure = models.CharField(max_length=32, blank=True, default="")
    # Of an answer: the registered kinds then, the version that the server states, and the valid annotations, each as
    # its kind and the columns of annotations/results/annotation_rows.py.
    kinds: "models.Field[list[str], list[str]]" = ArrayField(
        models.CharField(max_length=14, choices=RESULT_KIND_CHOICES), default=list, blank=True
    )
    stated_version = models.CharField(max_length=100, blank=True, default="")
    annotations = models.JSONField(default=list, blank=True)
    # The first broken rules, each with code, where and message, and how many there are.
    broken_rules = models.JSONField(default=list, blank=True)
    broken_rule_count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["text", "server"], name="pasted_text_once_for_server"),
            models.UniqueConstraint(
                fields=["server"], condition=Q(state=PastedCallState.ASKING), name="one_pasted_text_at_server"
            ),
        ]
        indexes = [
            models.Index(
                fields=["server", "id"], condition=Q(state=PastedCallState.WAITING), name="waiting_pasted_texts"
            )
        ]

    def __str__(self) -> str:
        return f"{self.text_id} to {self.server_id}"
