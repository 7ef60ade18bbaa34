"""Times of runs: how many seconds each took for an article."""

from collections.abc import Mapping
from math import isfinite
from typing import BinaryIO

from annotations.formats.errors import RefusedFileError
from annotations.formats.maps_tsv import checked_rows
from annotations.formats.tsv_faults import Notes


def read_times(stream: BinaryIO, source: str) -> Mapping[str, list[float]]:
    """{run: seconds of each of its articles} from lines `run TAB seconds`, one for each article, or one for a mean.

    RefusedFileError with all faults (R601, R602, R620).
    """
    mend = "write two, the name of the run and the seconds, with one tab between"
    rows = checked_rows(stream, source, "R620", lambda fields: len(fields) == 2, mend)
    faults, times = Notes(), dict[str, list[float]]()
    for number, (name, value) in enumerate(rows, 1):
        seconds = seconds_of(value)
        if seconds is None:
            faults.add("R620", number, 1, "{} is no number of seconds above 0 - write one, with a point: 3.25")
        else:
            times.setdefault(name, []).append(seconds)
    if faults:
        raise RefusedFileError(faults.told(stream, source))
    return times


def seconds_of(value: str) -> float | None:
    """The number, None when it is none, not above 0 or not finite."""
    try:
        seconds = float(value) if value.isascii() and "_" not in value else 0.0
    except ValueError:
        return None
    return seconds if seconds > 0 and isfinite(seconds) else None
