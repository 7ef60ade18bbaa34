"""Registered annotation servers, the log of their state changes, and trials of a server with one article."""

import secrets

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Now

from annotations.articles.models import Article
from annotations.results.models import RESULT_KIND_CHOICES
from annotations.schema import Kind
from servers.calls.batches.batch_decisions import MOST_ARTICLES
from servers.notifications.events import MailFrequency, Topic
from servers.registry.states import ServerState, list_enum_choices
from servers.review.states import ReviewState
from servers.teams.models import Team

# The communication ids of trials start above any id that an attempt will have.
FIRST_REFERENCE = 2**30
LONGEST_ENTITY_TYPE, MOST_ENTITY_TYPES = 64, 32


def generate_server_key() -> str:
    """A random secret of 40 hexadecimal digits, the format of BeCalm's keys."""
    return secrets.token_hex(20)


def generate_trial_reference() -> int:
    """A communication id of 31 bits that cannot be guessed during a trial; servers may support at most 32 bits.

    It is even: the request of the trial with two articles has the next one.
    """
    return FIRST_REFERENCE + 2 * secrets.randbelow(FIRST_REFERENCE // 2)


def list_topic_values() -> list[str]:
    return [topic.value for topic in Topic]


class Server(models.Model):
    class Protocol(models.TextChoices):
        BCMS = "bcms", "BCMS XML-RPC"
        REST = "rest", "BCMS JSON-REST"
        PUBANNOTATION = "pubannotation", "PubAnnotation annotator"
        BECALM = "becalm", "BeCalm (TIPS), which calls back"

    class Send(models.TextChoices):
        PMID = "pmid", "the PMID"
        TEXT = "text", "the plain text"
        STRUCT = "struct", "a struct with id, title, abstract and text"

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="servers")
    name = models.CharField(max_length=100)
    slug = models.SlugField(max_length=100, unique=True)
    description = models.TextField(blank=True)
    # Version of the annotation system, as the server reports it or else as its team has entered it.
    stated_version = models.CharField(max_length=100, blank=True, default="", db_default="")
    url = models.URLField(max_length=500)
    protocol = models.CharField(max_length=16, choices=Protocol.choices, default=Protocol.BCMS)
    method = models.CharField(max_length=100, default="Annotator.getAnnotation")
    send = models.CharField(max_length=6, choices=Send.choices, default=Send.STRUCT)
    kinds: "models.Field[list[str], list[str]]" = ArrayField(
        models.CharField(max_length=14, choices=RESULT_KIND_CHOICES)
    )
    # The types of entities that it annotates, empty if its team does not say; known ones by their name.
    entity_types: "models.Field[list[str], list[str]]" = ArrayField(
        models.CharField(max_length=LONGEST_ENTITY_TYPE, blank=True), size=MOST_ENTITY_TYPES, default=list, blank=True
    )
    time_limit = models.PositiveIntegerField(
        default=600,
        validators=[MinValueValidator(1), MaxValueValidator(600)],
        help_text="seconds per article, at most 600",
    )
    # A server's limit is longer by so many seconds for each 1,000 characters of the text, up to the limit of the site.
    seconds_per_1000_characters = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.001), MaxValueValidator(600)],
        help_text="added to the time limit; empty for none",
    )
    # For the look-up of the name, the connection and the TLS handshake together, within the time limit.
    connect_limit = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(60)],
        help_text="seconds, at most 60; empty for the time limit",
    )
    calls_per_minute = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text="maximum; empty for no limit"
    )
    largest_text = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="maximum length of an article in characters; longer articles are not sent. Empty for no limit",
    )
    # Articles of live and training queues are sent together (servers/calls/batches/batch_decisions.py).
    articles_per_request = models.PositiveSmallIntegerField(
        default=1,
        db_default=1,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_ARTICLES)],
        help_text=f"the most that it takes in one request, at most {MOST_ARTICLES}",
    )
    # Its team has accepted the confidentiality terms: manuscripts that are not published are sent to it.
    confidential = models.BooleanField(default=False, db_default=False)
    # Its team has agreed that it gets texts that people paste and see alone (servers/pasted_texts).
    accepts_pasted_texts = models.BooleanField(default=False, db_default=False)
    # The articles that its next request carries at most, after one with several failed; None: as many as declared. And
    # the number of requests with so many articles that were answered since.
    batch_limit = models.PositiveSmallIntegerField(null=True, blank=True)
    batch_answers = models.PositiveSmallIntegerField(default=0, db_default=0)
    # For servers that call back: the key that the server sends to us, the key that we send, and custom parameters.
    api_key = models.CharField(max_length=40, default=generate_server_key, editable=False)
    secret_key = models.CharField(max_length=40, default=generate_server_key, editable=False)
    custom_parameters = models.JSONField(default=dict, blank=True)
    # The topics of the team's e-mail notifications, and whether they are sent at once or daily.
    mail_topics: "models.Field[list[str], list[str]]" = ArrayField(
        models.CharField(max_length=9, choices=list_enum_choices(Topic)), default=list_topic_values, blank=True
    )
    mail_rhythm = models.CharField(
        max_length=7, choices=list_enum_choices(MailFrequency), default=MailFrequency.AT_ONCE
    )
    # Who sees the annotations of its LIVE queue, whose producer is public while the server is accepted.
    review = models.CharField(max_length=10, choices=list_enum_choices(ReviewState), default=ReviewState.UNREVIEWED)
    state = models.CharField(max_length=8, choices=list_enum_choices(ServerState), default=ServerState.OFFLINE)
    state_reason = models.CharField(max_length=500, blank=True)
    state_since = models.DateTimeField(db_default=Now())
    # Consecutive articles that ended FAILED, and since when the server is unreachable: both lead to FAIL.
    failures_running = models.PositiveIntegerField(default=0)
    # Consecutive calls that did not reach the server: from the third on its queues rest.
    misses = models.PositiveIntegerField(default=0, db_default=0)
    unreachable_since = models.DateTimeField(null=True, blank=True)
    # Consecutive failed calls and probes, and since when: the third starts a downtime (availability/downtimes.py).
    strikes = models.PositiveIntegerField(default=0, db_default=0)
    struck_since = models.DateTimeField(null=True, blank=True)
    probed = models.DateTimeField(null=True, blank=True)
    # The lease of the loop that serves this server (servers/calls/leases/lease.py). The token fences its writes.
    lease_token = models.UUIDField(null=True, blank=True, unique=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    # Incremented with every change that the server's page shows; pages poll it.
    version = models.PositiveBigIntegerField(default=1, db_default=1)
    created = models.DateTimeField(db_default=Now())

    class Meta:
        permissions = [("review_server", "Can accept and decline servers")]

    def __str__(self) -> str:
        return self.name

    @property
    def registered_kinds(self) -> tuple[Kind, ...]:
        return tuple(Kind(kind) for kind in self.kinds)


class ServerEvent(models.Model):
    """A change of a server's state; by is the user who asked for it, if any."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(db_default=Now())
    before = models.CharField(max_length=8, choices=list_enum_choices(ServerState))
    after = models.CharField(max_length=8, choices=list_enum_choices(ServerState))
    reason = models.CharField(max_length=500, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)


class Trial(models.Model):
    """A test call with one article, before or after a server is registered; its annotations are not stored."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    server = models.ForeignKey(Server, null=True, blank=True, on_delete=models.CASCADE, related_name="trials")
    article = models.ForeignKey(Article, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    # The data of the registration form.
    fields = models.JSONField()
    started = models.DateTimeField(db_default=Now())
    finished = models.DateTimeField(null=True, blank=True)
    # What build_check_data of servers/kit/checks/check_report.py returns.
    report = models.JSONField(default=dict, blank=True)
    request = models.BinaryField(default=b"", help_text="the first 64 KiB")
    answer = models.BinaryField(default=b"", help_text="the first 64 KiB")
    # The communication id of the call-back, its format (as in Callback.form) and its body.
    reference = models.PositiveIntegerField(default=generate_trial_reference, db_index=True)
    callback_form = models.CharField(max_length=8, blank=True)
    # The sealed credentials of a server that is not registered, until the trial ends; empty without any.
    credentials = models.BinaryField(default=b"", db_default=b"")
    callback = models.BinaryField(default=b"", help_text="complete until it is validated, then the first 64 KiB")
    # The same of the request with two articles, if the server takes several.
    batch_callback_form = models.CharField(max_length=8, blank=True, db_default="")
    batch_callback = models.BinaryField(default=b"", db_default=b"")

    class Meta:
        indexes = [models.Index(fields=["by", "started"], name="trials_of_person")]
