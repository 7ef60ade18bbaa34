"""Format waits for the manual."""

from datetime import timedelta


def format_wait_in_seconds_or_minutes(wait: timedelta) -> str:
    """Seconds below two minutes ("25 s"), else whole minutes ("10 min")."""
    seconds = int(wait.total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"
