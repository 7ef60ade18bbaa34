"""Who is asked, for what, how each try went, and who is told."""

import base64
import secrets
import uuid
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.kinds import Kind
from annotations.models import KIND_CHOICES, Article, Producer
from servers.availability.models import DayTally, DayUptime, Downtime, Figures, HourTally, Maintenance
from servers.states import IN_FLIGHT_CALLS, OPEN_CALLS, CallState, Outcome, QueueMode, QueueState, ServerState
from servers.topics import DeliveryState, Happening, Rhythm, Topic

# The communication ids of trials begin above those that attempts come to.
FIRST_REFERENCE = 2**30
# Django looks for an app's models here.
MEASURED = (DayTally, DayUptime, Downtime, Figures, HourTally, Maintenance)


def choices(states: Any) -> list[tuple[str, str]]:
    return [(state.value, state.value) for state in states]


class Team(models.Model):
    name = models.CharField(max_length=100, unique=True)
    slug = models.SlugField(max_length=100, unique=True)
    members: "models.ManyToManyField[Any, Any]" = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="Membership", related_name="teams"
    )

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    class Role(models.TextChoices):
        MANAGER = "manager"
        MEMBER = "member"

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    role = models.CharField(max_length=7, choices=Role.choices, default=Role.MEMBER)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="member_once")]


class Invitation(models.Model):
    """Somebody is asked by e-mail to join a team; the link in the mail names this row, signed."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(help_text="in lower case")
    role = models.CharField(max_length=7, choices=Membership.Role.choices, default=Membership.Role.MEMBER)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    # Sending it again begins its time anew.
    created = models.DateTimeField(db_default=Now())
    accepted = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "email"], condition=Q(accepted__isnull=True), name="invitation_open_once"
            )
        ]


def new_key() -> str:
    """A secret of 40 hexadecimal digits, as BeCalm's."""
    return secrets.token_hex(20)


def new_reference() -> int:
    """A communication id that nobody guesses while its trial lasts; as no server may know more than 32 bits, of 30."""
    return FIRST_REFERENCE + secrets.randbelow(FIRST_REFERENCE)


def new_secret() -> str:
    """A secret of a webhook as the Standard Webhooks specification writes them: 32 random bytes in base64."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def all_topics() -> list[str]:
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
    # Of its system, as the server says itself or, where its protocol has no word for it, as its team does.
    stated_version = models.CharField(max_length=100, blank=True, default="", db_default="")
    url = models.URLField(max_length=500)
    protocol = models.CharField(max_length=16, choices=Protocol.choices, default=Protocol.BCMS)
    method = models.CharField(max_length=100, default="Annotator.getAnnotation")
    send = models.CharField(max_length=6, choices=Send.choices, default=Send.STRUCT)
    kinds: "models.Field[list[str], list[str]]" = ArrayField(models.CharField(max_length=14, choices=KIND_CHOICES))
    time_limit = models.PositiveIntegerField(
        default=600,
        validators=[MinValueValidator(1), MaxValueValidator(600)],
        help_text="seconds per article, at most 600",
    )
    calls_per_minute = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text="at most so many; empty: no limit"
    )
    largest_text = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="characters of the longest article it takes; longer ones are not sent. Empty: no limit",
    )
    # Of a server that calls back: the key by which it proves who it is, the one by which we do, and what it wants sent.
    api_key = models.CharField(max_length=40, default=new_key, editable=False)
    secret_key = models.CharField(max_length=40, default=new_key, editable=False)
    custom_parameters = models.JSONField(default=dict, blank=True)
    # Which topics its team is told of by e-mail, and whether at once or once a day.
    mail_topics: "models.Field[list[str], list[str]]" = ArrayField(
        models.CharField(max_length=9, choices=choices(Topic)), default=all_topics, blank=True
    )
    mail_rhythm = models.CharField(max_length=7, choices=choices(Rhythm), default=Rhythm.AT_ONCE)
    state = models.CharField(max_length=8, choices=choices(ServerState), default=ServerState.OFFLINE)
    state_reason = models.CharField(max_length=500, blank=True)
    state_since = models.DateTimeField(db_default=Now())
    # Articles in a row that ended FAILED, and since when it cannot be reached: both lead to FAIL.
    failures_running = models.PositiveIntegerField(default=0)
    # Calls in a row that did not reach it: from the third on its queues rest.
    misses = models.PositiveIntegerField(default=0, db_default=0)
    unreachable_since = models.DateTimeField(null=True, blank=True)
    # Calls and probes in a row that failed, and since when: the third makes a downtime (servers/availability/).
    strikes = models.PositiveIntegerField(default=0, db_default=0)
    struck_since = models.DateTimeField(null=True, blank=True)
    probed = models.DateTimeField(null=True, blank=True)
    # Who may speak for this server now (servers/lease.py). The token fences every write of the loop.
    lease_token = models.UUIDField(null=True, blank=True, unique=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    # Goes up with everything that the server's page shows; pages poll it.
    version = models.PositiveBigIntegerField(default=1, db_default=1)
    created = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.name

    @property
    def registered_kinds(self) -> tuple[Kind, ...]:
        return tuple(Kind(kind) for kind in self.kinds)


class ServerEvent(models.Model):
    """Each change of a server's state leaves a row."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(db_default=Now())
    before = models.CharField(max_length=8, choices=choices(ServerState))
    after = models.CharField(max_length=8, choices=choices(ServerState))
    reason = models.CharField(max_length=500, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)


class Queue(models.Model):
    """The articles one server is to be asked about, in one mode; its producer owns what the server answers."""

    server = models.ForeignKey(Server, on_delete=models.PROTECT, related_name="queues")
    mode = models.CharField(max_length=8, choices=choices(QueueMode))
    name = models.CharField(max_length=100, blank=True, help_text="the phase, when there are several of one mode")
    producer = models.OneToOneField(Producer, on_delete=models.PROTECT, related_name="queue")
    state = models.CharField(max_length=7, choices=choices(QueueState), default=QueueState.RUNNING)
    # While the server cannot be reached the queue rests; the next probe is due then.
    rest_until = models.DateTimeField(null=True, blank=True)
    # In a test the call that did not come through, until the team says what to do with its article.
    stopped_on = models.ForeignKey("Call", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    # Articles were loaded since it last ended. What readers of the front page ask for ends without a word.
    end_is_news = models.BooleanField(default=False, db_default=False)
    # The rules of the phase that it is of; None: the server's time limit alone, and the tries of servers/retry.py.
    minutes = models.PositiveSmallIntegerField(null=True, blank=True, help_text="per article")
    tries = models.PositiveSmallIntegerField(null=True, blank=True)
    # Held by a phase of a challenge: nothing is asked out of it until the phase lets it go.
    held = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "mode", "name"], name="queue_once")]

    def __str__(self) -> str:
        return f"{self.server} {self.mode} {self.name}".strip()


class Call(models.Model):
    """One article to be asked of one server."""

    class Priority(models.IntegerChoices):
        FRONT_PAGE = 0
        TEST = 1
        TRAINING = 2
        LIVE = 3

    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="calls")
    server = models.ForeignKey(Server, on_delete=models.PROTECT, related_name="calls")
    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="calls")
    priority = models.PositiveSmallIntegerField(choices=Priority.choices)
    state = models.CharField(max_length=8, choices=choices(CallState), default=CallState.WAITING)
    due = models.DateTimeField(db_default=Now())
    tries = models.PositiveSmallIntegerField(default=0, help_text="tries that count; a crash or a halt does not")
    # Of a PENDING call: where the server's task is asked for (empty: the server calls back), and until when we wait.
    task_url = models.TextField(blank=True)
    expires = models.DateTimeField(null=True, blank=True)
    # Why it is in this state, in words for the team; empty when there is nothing to say.
    reason = models.TextField(blank=True)
    created = models.DateTimeField(db_default=Now())
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["server"], condition=Q(state__in=sorted(IN_FLIGHT_CALLS)), name="one_call_in_flight"
            ),
            models.UniqueConstraint(
                fields=["queue", "article"], condition=Q(state__in=sorted(OPEN_CALLS)), name="article_open_once"
            ),
        ]
        indexes = [
            models.Index(
                fields=["queue", "priority", "due", "id"],
                condition=Q(state=CallState.WAITING),
                name="next_call_of_queue",
            ),
            models.Index(fields=["queue", "state"], name="calls_of_queue_by_state"),
            models.Index(fields=["article", "state"], name="calls_of_article_by_state"),
        ]


class Attempt(models.Model):
    """One try of a call. The row exists before the network is touched, so a crash leaves evidence."""

    call = models.ForeignKey(Call, on_delete=models.CASCADE, related_name="attempts")
    # The call's server once more: its newest attempts are looked up all the time, among everybody's.
    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="attempts", db_index=False)
    number = models.PositiveSmallIntegerField()
    started = models.DateTimeField(db_default=Now())
    # Of what was sent: an answer that comes later is about this text, whatever the article's is by then.
    text_version = models.PositiveIntegerField(default=1, db_default=1)
    finished = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=20, choices=choices(Outcome), default=Outcome.UNDER_WAY)
    # Seconds spent in each phase: {"resolve": .., "connect": .., "tls": .., "send": .., "wait": .., "transfer": ..}
    phases = models.JSONField(default=dict, blank=True)
    diagnosis = models.CharField(max_length=40, blank=True, help_text="stable code, servers/diagnosis.py")
    message = models.TextField(blank=True, help_text="what happened and what to do, for the team")
    # Of an answer that is taken: how much it says, and of how large a text (UTF-8).
    annotations = models.PositiveIntegerField(default=0, db_default=0)
    document_bytes = models.PositiveIntegerField(default=0, db_default=0)
    # [{"code", "where", "message", "mend"}, ...]: the rules that the answer broke
    broken_rules = models.JSONField(default=list, blank=True)
    request = models.BinaryField(default=b"", help_text="the first 64 KiB")
    answer = models.BinaryField(default=b"", help_text="the first 64 KiB")

    class Meta:
        indexes = [
            models.Index(fields=["call", "number"], name="attempts_of_call"),
            models.Index(fields=["server", "-id"], name="newest_attempts_of_server"),
            # Rows come in the order of time, so that this costs next to nothing and finds an hour.
            BrinIndex(fields=["started"], name="attempts_by_time", pages_per_range=16, autosummarize=True),
        ]

    @property
    def seconds(self) -> float | None:
        return (self.finished - self.started).total_seconds() if self.finished else None

    @property
    def own_seconds(self) -> float:
        """What our own work took of a try that has ended: taking the article up, and judging its answer."""
        return max((self.seconds or 0.0) - sum(self.phases.values()), 0.0)


class Callback(models.Model):
    """What a server that answers later sent for an attempt, kept as it came until the loop has judged it."""

    attempt = models.OneToOneField(Attempt, on_delete=models.CASCADE, related_name="callback")
    received = models.DateTimeField(db_default=Now())
    # How the body is written: "json", "tsv" or "bioc".
    form = models.CharField(max_length=8)
    body = models.BinaryField()


class Trial(models.Model):
    """One article sent to a server that is to be registered, or that is; nothing of it is stored as a Result."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    server = models.ForeignKey(Server, null=True, blank=True, on_delete=models.CASCADE, related_name="trials")
    article = models.ForeignKey(Article, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    # What the registration form held.
    fields = models.JSONField()
    started = models.DateTimeField(db_default=Now())
    finished = models.DateTimeField(null=True, blank=True)
    # servers/kit/report.py, data_of, and the findings that would be stored.
    report = models.JSONField(default=dict, blank=True)
    request = models.BinaryField(default=b"", help_text="the first 64 KiB")
    answer = models.BinaryField(default=b"", help_text="the first 64 KiB")
    # Under which communication id the server calls back, and what with: its form is as that of a Callback.
    reference = models.PositiveIntegerField(default=new_reference, db_index=True)
    callback_form = models.CharField(max_length=8, blank=True)
    callback = models.BinaryField(default=b"", help_text="whole until it is judged, then the first 64 KiB")

    class Meta:
        indexes = [models.Index(fields=["by", "started"], name="trials_of_person")]


class MailWish(models.Model):
    """Whether a member of the team wants mail about a server; without one managers get it and members do not."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="mail_wishes")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    wanted = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "user"], name="mail_wish_once")]


class Notice(models.Model):
    """Something that the team is to be told of by e-mail, written in the commit in which it happened."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="notices")
    happening = models.CharField(max_length=16, choices=choices(Happening))
    queue = models.ForeignKey(Queue, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    call = models.ForeignKey(Call, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    reason = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now())
    due = models.DateTimeField()
    # When the mail was written, if anybody wanted one.
    told = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["due"], condition=Q(told__isnull=True), name="notices_by_due"),
            models.Index(fields=["server", "happening", "told"], name="notices_of_server"),
        ]


class Webhook(models.Model):
    """A URL of the team's that is told what happens to a server."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    topics: "models.Field[list[str], list[str]]" = ArrayField(models.CharField(max_length=9, choices=choices(Topic)))
    active = models.BooleanField(default=True)
    # Why it was switched off, when it was not by hand.
    reason = models.CharField(max_length=500, blank=True)
    # The secret that signs, and the one before it, which signs too for a day after the change.
    secret = models.CharField(max_length=60, default=new_secret, editable=False)
    old_secret = models.CharField(max_length=60, blank=True, editable=False)
    secret_since = models.DateTimeField(db_default=Now())
    # Tries in a row that failed, since when, and until when nothing is sent: to let the receiver recover, and while a
    # worker sends.
    misses = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True, blank=True)
    rest_until = models.DateTimeField(db_default=Now())
    created = models.DateTimeField(db_default=Now())


class Delivery(models.Model):
    """One message of a webhook. The row is written in the commit in which it happened; its id is the message's."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    happening = models.CharField(max_length=16, choices=choices(Happening))
    # The JSON text, as it is signed and sent at every try.
    body = models.TextField()
    state = models.CharField(max_length=9, choices=choices(DeliveryState), default=DeliveryState.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    due = models.DateTimeField(db_default=Now())
    created = models.DateTimeField(db_default=Now())
    # The last try: when, the status of the answer and how it began, or why there was none.
    tried = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    answer = models.TextField(blank=True)
    error = models.TextField(blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["webhook", "due"], condition=Q(state=DeliveryState.WAITING), name="deliveries_by_due"),
            models.Index(fields=["webhook", "-created"], name="newest_deliveries"),
        ]
