"""Format durations for people."""

MINUTE, HOUR, DAY = 60, 3600, 86400


def format_duration(seconds: float | None) -> str:
    """Seconds in the unit that fits: "4 ms", "0.42 s", "38 s", "3 min", "2 h 5 min", "4 d 6 h".

    None (unknown) is "-". Negative durations count as 0.
    """
    if seconds is None:
        return "-"
    seconds = max(seconds, 0.0)
    if seconds == 0:
        return "0 s"
    if seconds < 0.0995:
        return f"{1000 * seconds:.0f} ms" if seconds > 0.0005 else "under 1 ms"
    if seconds < 9.95:
        return f"{seconds:.2g} s"
    rounded = round(seconds)
    if rounded < 2 * MINUTE:
        return f"{rounded} s"
    if rounded < 2 * HOUR:
        return f"{rounded // MINUTE} min"
    if rounded < 2 * DAY:
        return _format_two_units(rounded, HOUR, "h", MINUTE, "min")
    return _format_two_units(rounded, DAY, "d", HOUR, "h")


def format_estimated_duration(seconds: float) -> str:
    """An estimated duration, in seconds or larger units: "less than a second", "about 4 s", "about 3 min"."""
    return "less than a second" if seconds < 1 else f"about {format_duration(round(seconds))}"


def _format_two_units(seconds: int, large: int, large_unit: str, small: int, small_unit: str) -> str:
    rest = seconds % large // small
    return f"{seconds // large} {large_unit}" + (f" {rest} {small_unit}" if rest else "")
