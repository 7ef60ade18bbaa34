"""The time windows, each up to now, over which servers are measured."""

from datetime import timedelta
from enum import StrEnum


class Window(StrEnum):
    DAY = "24h"
    WEEK = "7d"
    MONTH = "30d"
    QUARTER = "90d"


WINDOW_LENGTHS = {
    Window.DAY: timedelta(hours=24),
    Window.WEEK: timedelta(days=7),
    Window.MONTH: timedelta(days=30),
    Window.QUARTER: timedelta(days=90),
}
LONGEST_WINDOW = max(WINDOW_LENGTHS.values())
