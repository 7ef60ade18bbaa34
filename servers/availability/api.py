"""REST API of a server's availability and response times: the figures of its public page, in full precision."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers

from servers.availability.models import DayUptime, Downtime, Maintenance
from servers.availability.queries import PublishedAvailability, WindowFigures, get_public_figures_and_recent_history
from servers.registry.lookup import get_server_or_404


def _make_figure_field(source: str, help_text: str = "") -> serializers.FloatField:
    """A field for a number that is null if it is not known."""
    return serializers.FloatField(source=source, allow_null=True, help_text=help_text)


class ShortFigures(serializers.Serializer[WindowFigures]):
    """The main figures of a server over one time window up to now."""

    window = serializers.CharField(help_text="24h, 7d, 30d or 90d")
    availability = _make_figure_field("uptime.availability", "null if nothing was observed")
    strict_availability = _make_figure_field(
        "uptime.strict_availability", "counts pauses that the server reports as down"
    )
    success_rate = _make_figure_field("answers.success_rate")
    p50 = serializers.SerializerMethodField(help_text="seconds")
    p95 = serializers.SerializerMethodField(help_text="seconds")

    def get_p50(self, measured: WindowFigures) -> float | None:
        return measured.answers.percentiles.get(50)

    def get_p95(self, measured: WindowFigures) -> float | None:
        return measured.answers.percentiles.get(95)


class FullFigures(ShortFigures):
    until = serializers.DateTimeField(
        allow_null=True, help_text="end of the window; null before figures are first computed"
    )
    observed = serializers.FloatField(source="uptime.observed", help_text="seconds, excluding planned maintenance")
    down = serializers.FloatField(source="uptime.down", help_text="seconds")
    down_or_paused = serializers.FloatField(source="uptime.down_or_paused", help_text="seconds")
    down_now = serializers.BooleanField(source="uptime.down_now", help_text="whether the last downtime continues")
    failures = serializers.IntegerField(source="uptime.failures")
    mtbf = _make_figure_field("uptime.mtbf", "seconds; null without a failure, when it is at least `up`")
    up = serializers.FloatField(source="uptime.up", help_text="seconds")
    mttr = _make_figure_field("uptime.mttr", "seconds; null without a failure, too small while down_now is true")
    attempts = serializers.IntegerField(source="answers.attempts")
    responses = serializers.IntegerField(source="answers.responses", help_text="accepted answers")
    annotations = serializers.IntegerField(source="answers.annotations")
    mad = _make_figure_field("answers.mad", "annotations per response")
    mad_per_document = _make_figure_field("answers.mad_per_document")
    seconds_per_byte = _make_figure_field("answers.seconds_per_byte", "MTDV (mean time per document volume)")
    bytes_per_second = _make_figure_field("answers.bytes_per_second", "the inverse of MTDV")
    mtsa = _make_figure_field("answers.mtsa", "seconds per annotation")
    art = _make_figure_field("answers.art", "average response time in seconds")
    round_trip = _make_figure_field("answers.round_trip", "seconds to connect, a round trip without work of the server")
    art_less_round_trip = _make_figure_field("answers.art_less_round_trip", "seconds")
    acknowledgement_time = _make_figure_field("answers.acknowledgement_time", "seconds; null without deferred answers")
    p90 = serializers.SerializerMethodField(help_text="seconds")
    p99 = serializers.SerializerMethodField(help_text="seconds")
    slowest = _make_figure_field("answers.slowest", "seconds")
    timeout_rate = _make_figure_field("answers.timeout_rate")
    refusal_rate = _make_figure_field("answers.refusal_rate", "the server was not reached")
    broken_rate = _make_figure_field("answers.broken_rate", "no readable answer")
    invalid_rate = _make_figure_field("answers.invalid_rate", "the answer breaks a rule")
    valid_share = _make_figure_field("answers.valid_share", "share of the readable answers")

    def get_p90(self, measured: WindowFigures) -> float | None:
        return measured.answers.percentiles.get(90)

    def get_p99(self, measured: WindowFigures) -> float | None:
        return measured.answers.percentiles.get(99)


class DayOfServer(serializers.ModelSerializer[DayUptime]):
    class Meta:
        model = DayUptime
        fields = ["day", "observed", "down", "down_or_paused"]


class DowntimeOfServer(serializers.ModelSerializer[Downtime]):
    class Meta:
        model = Downtime
        fields = ["sort", "started", "ended"]


class PlannedMaintenance(serializers.ModelSerializer[Maintenance]):
    class Meta:
        model = Maintenance
        fields = ["starts", "ends", "reason"]


class AvailabilityOfServer(serializers.Serializer[PublishedAvailability]):
    windows = FullFigures(many=True, source="figures.windows")
    days = DayOfServer(many=True, help_text="the last 90 days, in seconds; missing days were not observed")
    downtimes = DowntimeOfServer(many=True, help_text="the latest downtimes")
    maintenance = PlannedMaintenance(many=True, help_text="the latest planned maintenance")


@extend_schema_view(get=extend_schema(summary="Read a server's availability"))
class ServerAvailability(generics.RetrieveAPIView[Any]):
    """Availability and response times of a server over 24 hours, 7, 30 and 90 days. Updated every minute.

    The windows are fixed: parameters such as from and to are refused.
    """

    serializer_class = AvailabilityOfServer

    def get_object(self) -> PublishedAvailability:
        server = get_server_or_404(self.kwargs["slug"], self.request.user)
        return get_public_figures_and_recent_history(server, timezone.now())
