"""How dependable servers are: when they were down, what was planned, and roll-ups of how their calls went.

Attempts are the truth, and everything here but downtimes and maintenance can be computed from them again. Hours and
days are those of UTC.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from servers.availability.windows import Window


class Downtime(models.Model):
    """A server was down, or said itself that it pauses; ended is None while it still does.

    It begins with the first of the failures in a row that showed it, and ends with the first call or probe that is
    good, or when the server is started anew.
    """

    class Sort(models.TextChoices):
        DOWN = "down"
        PAUSED = "paused"

    server = models.ForeignKey("servers.Server", on_delete=models.CASCADE, related_name="downtimes")
    sort = models.CharField(max_length=6, choices=Sort.choices)
    started = models.DateTimeField()
    ended = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["server", "sort"], condition=Q(ended__isnull=True), name="one_open_downtime_of_a_sort"
            )
        ]
        indexes = [models.Index(fields=["server", "ended"], name="downtimes_by_end")]


class Maintenance(models.Model):
    """Time that the team planned, before it began, to have the server away; it counts neither as up nor as down."""

    server = models.ForeignKey("servers.Server", on_delete=models.CASCADE, related_name="maintenance")
    starts = models.DateTimeField()
    ends = models.DateTimeField()
    reason = models.CharField(max_length=200, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(ends__gt=F("starts")), name="maintenance_ends_after_start")]
        indexes = [models.Index(fields=["server", "ends"], name="maintenance_by_end")]


class Counts(models.Model):
    """Attempts by outcome, and sums over those that were accepted (answered and empty)."""

    answered = models.PositiveIntegerField(default=0)
    empty = models.PositiveIntegerField(default=0)
    invalid = models.PositiveIntegerField(default=0)
    connection = models.PositiveIntegerField(default=0)
    communication = models.PositiveIntegerField(default=0)
    no_answer = models.PositiveIntegerField(default=0)
    documents = models.PositiveIntegerField(default=0)
    annotations = models.PositiveBigIntegerField(default=0)
    document_bytes = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(default=0.0, help_text="from the last byte sent to the last byte received, added up")
    slowest = models.FloatField(null=True, blank=True, help_text="seconds")
    # What connecting took, which is one round trip and nothing done, added up.
    round_trips = models.FloatField(default=0.0, help_text="seconds, of each answer no more than its response time")
    # Answers that came later, and the times until the server had accepted the question.
    acknowledged = models.PositiveIntegerField(default=0)
    acknowledgement_seconds = models.FloatField(default=0.0)

    class Meta:
        abstract = True


class Tally(Counts):
    server = models.ForeignKey("servers.Server", on_delete=models.CASCADE, related_name="+")
    begins = models.DateTimeField()
    # How many response times lie in which bucket (servers/availability/percentiles.py): {"142": 3, ...}
    buckets = models.JSONField(default=dict)

    class Meta:
        abstract = True


class HourTally(Tally):
    """The attempts that began in one hour."""

    # The hour is over and none of its attempts is under way: it is not counted again.
    settled = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "begins"], name="hour_tally_once")]
        indexes = [models.Index(fields=["begins"], condition=Q(settled=False), name="hours_to_count_again")]


class DayTally(Tally):
    """The attempts that began on one day."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "begins"], name="day_tally_once")]


class DayUptime(models.Model):
    """How long a server was observed on one day, and how much of that it was down, or down or paused; in seconds."""

    server = models.ForeignKey("servers.Server", on_delete=models.CASCADE, related_name="days")
    day = models.DateField()
    observed = models.FloatField()
    down = models.FloatField()
    down_or_paused = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "day"], name="day_uptime_once")]


class Figures(Counts):
    """The figures of a server over one of the windows up to now, as they are published; brought up to date by a task.

    Availability is exact to the second; counts and times are those of the whole hours that the window touches.
    """

    server = models.ForeignKey("servers.Server", on_delete=models.CASCADE, related_name="figures")
    window = models.CharField(max_length=3, choices=[(window.value, window.value) for window in Window])
    until = models.DateTimeField()
    observed = models.FloatField(default=0.0)
    down = models.FloatField(default=0.0)
    down_or_paused = models.FloatField(default=0.0)
    failures = models.PositiveIntegerField(default=0)
    # Whether a downtime is not over yet.
    down_now = models.BooleanField(default=False)
    p50 = models.FloatField(null=True, blank=True)
    p90 = models.FloatField(null=True, blank=True)
    p95 = models.FloatField(null=True, blank=True)
    p99 = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "window"], name="figures_once")]
