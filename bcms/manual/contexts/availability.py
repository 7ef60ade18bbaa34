"""Context of the manual's page about availability: the limits of downtimes and probes."""

from servers.availability import downtimes, probe, probe_schedule


def build_downtime_and_probe_limits_context() -> dict[str, object]:
    return {
        "strikes": downtimes.STRIKES_TO_DOWNTIME,
        "probe_seconds": probe_schedule.PROBE_INTERVAL,
        "probe_limit": int(probe.PROBE_SECONDS),
    }
