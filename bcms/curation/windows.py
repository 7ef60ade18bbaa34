"""Which windows have the same work open, so that each warns of the others before anything is decided there.

Only windows in which the same record can be changed know of each other: those of one curation, whose curator alone
opens it, and those of the adjudicators of one article. Two curators of one article have a curation each, so nobody
learns that somebody else curates it.
"""

import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

# Browsers let a hidden window report once a minute only.
FORGOTTEN_AFTER = timedelta(seconds=150)
LATE_REPORTS = timedelta(seconds=15)
SECONDS_KEPT = FORGOTTEN_AFTER.total_seconds()
MOST_WINDOWS = 50
WINDOW = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class WindowView:
    """What a window shows of the others. url: where it reports every few seconds; version: changes with warning."""

    url: str
    version: str = "0"
    warning: str = ""


def open_window(work: str, url: str, user_name: str, now: datetime) -> WindowView:
    """Keep that a page with this work is sent. Whether others have it open, the page learns when it reports.

    Until then, the page that it replaces in the same window counts as open.
    """
    window = secrets.token_hex(8)
    report_window(work, window, user_name, now)
    return WindowView(f"{url}?window={window}")


def report_window(work: str, window: str, user_name: str, now: datetime) -> list[str]:
    """Keep that the window is open, and return the names of the users of each other one."""
    reports = _load_reports(work, now)
    if window in reports or len(reports) < MOST_WINDOWS:
        cache.set(_format_key(work, window), (user_name, now), SECONDS_KEPT)
        # Of two windows that are opened in the same moment, one may be missing until it reports again.
        cache.set(_format_key(work), [*{**reports, window: None}], SECONDS_KEPT)
    return [each.user_name for other, each in reports.items() if other != window]


def close_window(work: str, window: str, now: datetime) -> None:
    """The window was closed; a report that it sent before, and that is stored before or after this, does not count."""
    if _format_key(work, window) in cache:
        cache.set(_format_key(work, window, "closed"), now, SECONDS_KEPT + LATE_REPORTS.total_seconds())


class _Report(NamedTuple):
    """The last that was heard of a window."""

    user_name: str
    at: datetime

    def counts(self, closed: datetime | None, now: datetime) -> bool:
        is_late = closed is not None and self.at < closed + LATE_REPORTS
        return not is_late and now - self.at < FORGOTTEN_AFTER


def _format_key(work: str, *parts: str) -> str:
    return ":".join(("windows", work, *parts))


def _load_reports(work: str, now: datetime) -> dict[str, _Report]:
    """By open window. Reports and ends are kept apart, so that nothing that comes at once undoes anything else."""
    windows = cache.get(_format_key(work)) or []
    keys = {window: (_format_key(work, window), _format_key(work, window, "closed")) for window in windows}
    stored = cache.get_many(key for both in keys.values() for key in both)
    reports = {window: _Report(*stored[report]) for window, (report, _) in keys.items() if report in stored}
    return {window: each for window, each in reports.items() if each.counts(stored.get(keys[window][1]), now)}


def describe_other_windows(names: Collection[str], user_name: str) -> str:
    """The warning of a window of the user; "" without others. names: of the users of the others."""
    if not names:
        return ""
    people = sorted({name for name in names if name != user_name})
    who = "You have this article open in another window, too."
    if people:
        who = f"{' and '.join(people)} {'has' if len(people) == 1 else 'have'} this article open, too."
    return (
        f"{who} Reload to see what was decided there. Nothing is overwritten: the second decision on the same item is "
        "refused."
    )


def answer_window_report(request: HttpRequest, work: str) -> HttpResponse:
    """GET: the warning of this window, 204 if it shows it already. POST: it was closed."""
    window = request.GET.get("window", "")
    if not WINDOW.fullmatch(window):
        raise Http404
    if request.method == "POST":
        close_window(work, window, timezone.now())
        return HttpResponse(status=204)
    user_name = request.user.get_username()
    names = report_window(work, window, user_name, timezone.now())
    warning = describe_other_windows(names, user_name)
    view = WindowView(f"{request.path}?window={window}", ",".join(sorted({*names})) or "0", warning)
    if request.GET.get("v") == view.version:
        return HttpResponse(status=204)
    return render(request, "curation/_windows.html", {"windows": view})
