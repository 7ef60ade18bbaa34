"""The availability of servers: downtimes, planned maintenance, and roll-ups of the outcomes of their calls.

The numbers of attempts are counted from the attempts, and stay when these are deleted. Hours and days are in UTC.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from servers.availability.measures.windows import Window


class Downtime(models.Model):
    """A period in which a server was down or reported that it pauses; ended is None while it continues.

    It begins with the first of three consecutive failures, and ends with the first successful call or probe or when the
    server is started again.
    """

    class Type(models.TextChoices):
        DOWN = "down"
        PAUSED = "paused"

    server = models.ForeignKey("servers.Server", on_delete=models.CASCADE, related_name="downtimes")
    sort = models.CharField(max_length=6, choices=Type.choices)
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
    """A planned period in which the server is unavailable, entered in advance. It counts as neither up nor down."""

    server = models.ForeignKey("servers.Server", on_delete=models.CASCADE, related_name="maintenance")
    starts = models.DateTimeField()
    ends = models.DateTimeField()
    reason = models.CharField(max_length=200, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(ends__gt=F("starts")), name="maintenance_ends_after_start")]
        indexes = [models.Index(fields=["server", "ends"], name="maintenance_by_end")]


class Counts(models.Model):
    """Numbers of attempts by outcome, and sums over the accepted answers (answered and empty)."""

    answered = models.PositiveIntegerField(default=0)
    empty = models.PositiveIntegerField(default=0)
    invalid = models.PositiveIntegerField(default=0)
    connection = models.PositiveIntegerField(default=0)
    communication = models.PositiveIntegerField(default=0)
    no_answer = models.PositiveIntegerField(default=0)
    documents = models.PositiveIntegerField(default=0)
    annotations = models.PositiveBigIntegerField(default=0)
    document_bytes = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(
        default=0.0, help_text="sum of the times from the last byte sent to the last byte received"
    )
    slowest = models.FloatField(null=True, blank=True, help_text="seconds")
    # Sum of the times to connect, each of which is one round trip without work of the server.
    round_trips = models.FloatField(default=0.0, help_text="seconds; for each answer at most its response time")
    # The number of deferred answers, and the sum of the times until the server had accepted the request.
    acknowledged = models.PositiveIntegerField(default=0)
    acknowledgement_seconds = models.FloatField(default=0.0)

    class Meta:
        abstract = True


class Tally(Counts):
    server = models.ForeignKey("servers.Server", on_delete=models.CASCADE, related_name="+")
    begins = models.DateTimeField()
    # The number of response times by bucket (servers/availability/measures/percentiles.py): {"142": 3, ...}
    buckets = models.JSONField(default=dict)

    class Meta:
        abstract = True


class HourTally(Tally):
    """The attempts that began in one hour."""

    # Whether the hour is over and all its attempts have ended, so that it is not counted again.
    settled = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "begins"], name="hour_tally_once")]
        indexes = [models.Index(fields=["begins"], condition=Q(settled=False), name="hours_to_count_again")]


class DayTally(Tally):
    """The attempts that began on one day."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "begins"], name="day_tally_once")]


class DayUptime(models.Model):
    """Seconds for which a server was observed on one day, and of those the seconds down, and down or paused."""

    server = models.ForeignKey("servers.Server", on_delete=models.CASCADE, related_name="days")
    day = models.DateField()
    observed = models.FloatField()
    down = models.FloatField()
    down_or_paused = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "day"], name="day_uptime_once")]


class Figures(Counts):
    """The published figures of a server over one time window; a task updates them.

    Availability is exact to the second; counts and times cover all hours that the window overlaps.
    """

    server = models.ForeignKey("servers.Server", on_delete=models.CASCADE, related_name="figures")
    window = models.CharField(max_length=3, choices=[(window.value, window.value) for window in Window])
    until = models.DateTimeField()
    observed = models.FloatField(default=0.0)
    down = models.FloatField(default=0.0)
    down_or_paused = models.FloatField(default=0.0)
    failures = models.PositiveIntegerField(default=0)
    # Whether a downtime continues.
    down_now = models.BooleanField(default=False)
    p50 = models.FloatField(null=True, blank=True)
    p90 = models.FloatField(null=True, blank=True)
    p95 = models.FloatField(null=True, blank=True)
    p99 = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server", "window"], name="figures_once")]
