"""The lengths of time over which servers are measured, each up to now."""

from datetime import timedelta
from enum import StrEnum


class Window(StrEnum):
    DAY = "24h"
    WEEK = "7d"
    MONTH = "30d"
    QUARTER = "90d"


LENGTHS = {
    Window.DAY: timedelta(hours=24),
    Window.WEEK: timedelta(days=7),
    Window.MONTH: timedelta(days=30),
    Window.QUARTER: timedelta(days=90),
}
LONGEST = max(LENGTHS.values())
