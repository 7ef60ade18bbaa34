"""Reads the times of runs: the seconds that each took for an article."""

from collections.abc import Mapping
from math import isfinite
from typing import BinaryIO

from annotations.formats.errors import RefusedFileError
from annotations.formats.tsv.faults import FieldFaults
from annotations.formats.tsv.map_reader import read_checked_tab_fields


def read_seconds_by_run_name(stream: BinaryIO, source: str) -> Mapping[str, list[float]]:
    """{run: seconds of its articles} from lines `run TAB seconds`, one line per article or one line with the mean.

    RefusedFileError with all faults (R601, R602, R620).
    """
    fix = "write two, the name of the run and the seconds, separated by one tab"
    rows = read_checked_tab_fields(stream, source, "R620", lambda fields: len(fields) == 2, fix)
    faults, times = FieldFaults(), dict[str, list[float]]()
    for number, (name, value) in enumerate(rows, 1):
        seconds = _parse_seconds(value)
        if seconds is None:
            faults.add(
                "R620",
                number,
                1,
                "{} is not a number of seconds above 0 - write one with a decimal point, such as 3.25",
            )
        else:
            times.setdefault(name, []).append(seconds)
    if faults:
        raise RefusedFileError(faults.list_faults(stream, source))
    return times


def _parse_seconds(value: str) -> float | None:
    """The number; None if it is not a number, not above 0 or not finite."""
    try:
        seconds = float(value) if value.isascii() and "_" not in value else 0.0
    except ValueError:
        return None
    return seconds if seconds > 0 and isfinite(seconds) else None
