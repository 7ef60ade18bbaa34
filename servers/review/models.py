"""The log of a server's review."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from servers.registry.models import Server
from servers.registry.states import list_enum_choices
from servers.review.states import ReviewState

LONGEST_NOTE = 1000


class ReviewDecision(models.Model):
    """A change of a server's review state, with a note to its team; by is None if a changed setting led to it."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="review_decisions")
    at = models.DateTimeField(db_default=Now())
    before = models.CharField(max_length=10, choices=list_enum_choices(ReviewState))
    after = models.CharField(max_length=10, choices=list_enum_choices(ReviewState))
    note = models.CharField(max_length=LONGEST_NOTE, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        indexes = [models.Index(fields=["server", "-id"], name="decisions_of_server")]
