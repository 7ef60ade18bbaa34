"""How dependable and how quick a server is: what its public page shows, in full precision."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers

from bcms.api.rights import server_seen
from servers.availability.querysets import Measured, Published, published
from servers.models import DayUptime, Downtime, Maintenance


def figure(source: str, help_text: str = "") -> serializers.FloatField:
    """A number that is null while it is not known."""
    return serializers.FloatField(source=source, allow_null=True, help_text=help_text)


class ShortFigures(serializers.Serializer):
    """A server over one window of time up to now."""

    window = serializers.CharField(help_text="24h, 7d, 30d or 90d")
    availability = figure("uptime.availability", "null while nothing was observed")
    strict_availability = figure("uptime.strict_availability", "with pauses by its own word as down")
    success_rate = figure("answers.success_rate")
    p50 = serializers.SerializerMethodField(help_text="seconds")
    p95 = serializers.SerializerMethodField(help_text="seconds")

    def get_p50(self, measured: Measured) -> float | None:
        return measured.answers.percentiles.get(50)

    def get_p95(self, measured: Measured) -> float | None:
        return measured.answers.percentiles.get(95)


class FullFigures(ShortFigures):
    until = serializers.DateTimeField(allow_null=True, help_text="end of the window; null before the first figures")
    observed = serializers.FloatField(source="uptime.observed", help_text="seconds, without planned maintenance")
    down = serializers.FloatField(source="uptime.down", help_text="seconds")
    down_or_paused = serializers.FloatField(source="uptime.down_or_paused", help_text="seconds")
    down_now = serializers.BooleanField(source="uptime.down_now", help_text="the last downtime goes on")
    failures = serializers.IntegerField(source="uptime.failures")
    mtbf = figure("uptime.mtbf", "seconds; null without a failure: it is at least `up` then")
    up = serializers.FloatField(source="uptime.up", help_text="seconds")
    mttr = figure("uptime.mttr", "seconds; null without a failure, too small while down_now")
    attempts = serializers.IntegerField(source="answers.attempts")
    responses = serializers.IntegerField(source="answers.responses", help_text="answers that were accepted")
    annotations = serializers.IntegerField(source="answers.annotations")
    mad = figure("answers.mad", "annotations per response")
    mad_per_document = figure("answers.mad_per_document")
    seconds_per_byte = figure("answers.seconds_per_byte", "MTDV")
    bytes_per_second = figure("answers.bytes_per_second", "MTDV")
    mtsa = figure("answers.mtsa", "seconds per annotation")
    art = figure("answers.art", "average response time in seconds")
    round_trip = figure("answers.round_trip", "seconds to connect, in which the server does nothing")
    art_less_round_trip = figure("answers.art_less_round_trip", "seconds")
    acknowledgement_time = figure("answers.acknowledgement_time", "seconds; null unless it answers later")
    p90 = serializers.SerializerMethodField(help_text="seconds")
    p99 = serializers.SerializerMethodField(help_text="seconds")
    slowest = figure("answers.slowest", "seconds")
    timeout_rate = figure("answers.timeout_rate")
    refusal_rate = figure("answers.refusal_rate", "not reached")
    broken_rate = figure("answers.broken_rate", "not readable")
    invalid_rate = figure("answers.invalid_rate", "breaks a rule")
    valid_share = figure("answers.valid_share", "of the answers that can be read")

    def get_p90(self, measured: Measured) -> float | None:
        return measured.answers.percentiles.get(90)

    def get_p99(self, measured: Measured) -> float | None:
        return measured.answers.percentiles.get(99)


class DayOfServer(serializers.ModelSerializer):
    class Meta:
        model = DayUptime
        fields = ["day", "observed", "down", "down_or_paused"]


class DowntimeOfServer(serializers.ModelSerializer):
    class Meta:
        model = Downtime
        fields = ["sort", "started", "ended"]


class PlannedMaintenance(serializers.ModelSerializer):
    class Meta:
        model = Maintenance
        fields = ["starts", "ends", "reason"]


class AvailabilityOfServer(serializers.Serializer):
    windows = FullFigures(many=True, source="figures.windows")
    days = DayOfServer(many=True, help_text="the last 90, in seconds; days without a row were not observed")
    downtimes = DowntimeOfServer(many=True, help_text="the latest")
    maintenance = PlannedMaintenance(many=True, help_text="the latest")


@extend_schema_view(get=extend_schema(summary="Read a server's availability"))
class ServerAvailability(generics.RetrieveAPIView):
    """How dependable and how quick a server is over 24 hours, 7, 30 and 90 days; brought up to date every minute."""

    serializer_class = AvailabilityOfServer

    def get_object(self) -> Published:
        return published(server_seen(self.kwargs["slug"]), timezone.now())
