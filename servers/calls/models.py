"""Queues of articles for a server, the calls in them, and every attempt of a call."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from annotations.articles.models import Article
from annotations.results.models import Producer
from bcms.lib.request_ids import REQUEST_ID_LENGTH, get_request_id
from servers.calls.states import IN_FLIGHT_CALLS, OPEN_CALLS, CallState, Outcome, QueueMode, QueueState
from servers.registry.models import Server
from servers.registry.states import list_enum_choices


class Queue(models.Model):
    """The calls of one server in one mode; the queue's producer owns the server's annotations."""

    server = models.ForeignKey(Server, on_delete=models.PROTECT, related_name="queues")
    mode = models.CharField(max_length=8, choices=list_enum_choices(QueueMode))
    name = models.CharField(max_length=100, blank=True, help_text="the phase, when there are several of one mode")
    producer = models.OneToOneField(Producer, on_delete=models.PROTECT, related_name="queue")
    state = models.CharField(max_length=7, choices=list_enum_choices(QueueState), default=QueueState.RUNNING)
    # The queue rests while the server is unreachable; the next call probes it at this time.
    rest_until = models.DateTimeField(null=True, blank=True)
    # In a test, the failed call on which the queue stopped until the team decides about its article.
    stopped_on = models.ForeignKey("Call", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    # Articles were loaded since the queue was last done, so its end is notified. Requests by readers do not set this.
    end_is_news = models.BooleanField(default=False, db_default=False)
    # Limits of the queue's phase; None: the server's time limit, and the number of tries in servers/calls/retry.py.
    minutes = models.PositiveSmallIntegerField(null=True, blank=True, help_text="per article")
    tries = models.PositiveSmallIntegerField(null=True, blank=True)
    # The missed articles that were removed because too many waited, or because the server is not accepted any more.
    given_up = models.PositiveIntegerField(default=0, db_default=0)
    # On hold by a phase of a challenge: no calls are made until the phase releases the queue.
    held = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "mode", "name"], name="queue_once")]

    def __str__(self) -> str:
        return f"{self.server} {self.mode} {self.name}".strip()


class Batch(models.Model):
    """The calls that a server is sent with one request. The row exists as long as the request is in flight.

    A claim inserts it with its calls, and the last of them that is not in flight any more deletes it. So a server that
    has one is sent no other request.
    """

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="batches", db_index=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server"], name="one_batch_in_flight")]


class Call(models.Model):
    """The annotation of one article by one server."""

    class Priority(models.IntegerChoices):
        # Authors wait for their manuscripts (servers/calls/queues/manuscript_calls.py).
        MANUSCRIPT = -1
        FRONT_PAGE = 0
        TEST = 1
        TRAINING = 2
        LIVE = 3
        # Opened by readers while the server was stopped or unreachable (servers/calls/queues/missed_articles.py).
        MISSED = 4

    queue = models.ForeignKey(Queue, on_delete=models.CASCADE, related_name="calls")
    server = models.ForeignKey(Server, on_delete=models.PROTECT, related_name="calls")
    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="calls")
    priority = models.SmallIntegerField(choices=Priority.choices)
    state = models.CharField(max_length=8, choices=list_enum_choices(CallState), default=CallState.WAITING)
    # The request that the call is a part of, only while it is in flight.
    batch = models.ForeignKey(
        Batch, null=True, blank=True, on_delete=models.PROTECT, related_name="calls", db_index=False
    )
    due = models.DateTimeField(db_default=Now())
    tries = models.PositiveSmallIntegerField(default=0, help_text="tries that count; crashes and stops do not")
    # Counting them would read each partition of attempts.
    begun_attempts = models.PositiveSmallIntegerField(default=0, db_default=0, help_text="all attempts")
    # For a PENDING call: the URL of the server's task (empty if the server calls back), and until when we wait.
    task_url = models.TextField(blank=True)
    expires = models.DateTimeField(null=True, blank=True)
    # Why the call is in this state, as a message for the team; may be empty.
    reason = models.TextField(blank=True)
    created = models.DateTimeField(db_default=Now())
    finished = models.DateTimeField(null=True, blank=True)
    # The request of a reader or team that made the call, under which its attempts are logged; empty if none did.
    request_id = models.CharField(max_length=REQUEST_ID_LENGTH, blank=True, default=get_request_id, db_default="")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=sorted(IN_FLIGHT_CALLS), batch__isnull=False)
                | ~Q(state__in=sorted(IN_FLIGHT_CALLS)) & Q(batch__isnull=True),
                name="call_in_flight_has_batch",
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
            models.Index(fields=["batch"], condition=Q(batch__isnull=False), name="calls_of_batch"),
            models.Index(fields=["queue", "state"], name="calls_of_queue_by_state"),
            models.Index(fields=["article", "state"], name="calls_of_article_by_state"),
        ]


class Attempt(models.Model):
    """One try of a call. The row is stored before anything is sent, so that a crash leaves evidence.

    The table is in partitions by month of `started`, and old ones are dropped (bcms/operations/old_attempts.py). In the
    database, the primary key is (id, started): no foreign key there can name it.
    """

    # The index attempts_of_call serves it, too.
    call = models.ForeignKey(Call, on_delete=models.CASCADE, related_name="attempts", db_index=False)
    # Duplicates call.server, for an index that finds the newest attempts of a server quickly.
    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="attempts", db_index=False)
    number = models.PositiveSmallIntegerField()
    started = models.DateTimeField(db_default=Now())
    # The number of articles in the request. Times of a request with several say nothing about one of them.
    articles_in_request = models.PositiveSmallIntegerField(default=1, db_default=1)
    # The version of the text that was sent, to which a deferred answer refers even if the article changes.
    text_version = models.PositiveIntegerField(default=1, db_default=1)
    finished = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=20, choices=list_enum_choices(Outcome), default=Outcome.UNDER_WAY)
    # Seconds spent in each phase: {"resolve": .., "connect": .., "tls": .., "send": .., "wait": .., "transfer": ..}
    phases = models.JSONField(default=dict, blank=True)
    diagnosis = models.CharField(max_length=40, blank=True, help_text="stable code, servers/calls/diagnosis.py")
    message = models.TextField(blank=True, help_text="what happened and what to do, for the team")
    # For an accepted answer: its number of annotations, and the size of the text in UTF-8.
    annotations = models.PositiveIntegerField(default=0, db_default=0)
    document_bytes = models.PositiveIntegerField(default=0, db_default=0)
    # The rules that the answer breaks: [{"code", "where", "message", "mend"}, ...]
    broken_rules = models.JSONField(default=list, blank=True)
    # The parts of the answer that are not stored although they break no rule, as OmittedParts.build_data returns them.
    omitted = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()), blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["call", "number"], name="attempts_of_call"),
            models.Index(fields=["server", "-id"], name="newest_attempts_of_server"),
            # Rows are inserted in chronological order, so that a small BRIN index finds the attempts of an hour.
            BrinIndex(fields=["started"], name="attempts_by_time", pages_per_range=16, autosummarize=True),
        ]

    @property
    def seconds(self) -> float | None:
        return (self.finished - self.started).total_seconds() if self.finished else None

    @property
    def request_seconds(self) -> float | None:
        """Seconds until the answer was received, the same for all articles of a request."""
        return float(sum(self.phases.values())) if self.phases else self.seconds

    @property
    def own_seconds(self) -> float:
        """Seconds that the meta-server itself needed for a finished attempt, such as to validate the answer."""
        return max((self.seconds or 0.0) - float(sum(self.phases.values())), 0.0)


class AttemptBody(models.Model):
    """The request and the answer of an attempt. There is none before the request has ended, or after BODY_DAYS.

    The table is in partitions by week of `started`, which is that of the attempt. In the database, the primary key is
    (attempt, started).
    """

    attempt = models.OneToOneField(
        Attempt, on_delete=models.CASCADE, primary_key=True, related_name="body", db_constraint=False
    )
    started = models.DateTimeField()
    request = models.BinaryField(default=b"", help_text="the first 64 KiB")
    answer = models.BinaryField(default=b"", help_text="the first 64 KiB")


class Callback(models.Model):
    """The body of a server's call-back, which the loop validates; it is deleted after BODY_DAYS."""

    attempt = models.OneToOneField(Attempt, on_delete=models.CASCADE, related_name="callback", db_constraint=False)
    received = models.DateTimeField(db_default=Now())
    # The format of the body: "json", "tsv" or "bioc".
    form = models.CharField(max_length=8)
    body = models.BinaryField()
