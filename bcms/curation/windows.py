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
    others = [each.user_name for other, each in reports.items() if other != window and not each.closed]
    known = reports.get(window)
    if len(reports) < MOST_WINDOWS if known is None else not known.closed:
        _store_report(work, window, _Report(user_name, now))
        # Of two windows that are opened in the same moment, one may be missing until it reports again.
        cache.set(_format_key(work), [*{**reports, window: None}], SECONDS_KEPT)
    return others


def close_window(work: str, window: str, now: datetime) -> None:
    """The window was closed; a report that it sent before, and that comes after this, does not count."""
    if known := _load_reports(work, now).get(window):
        _store_report(work, window, known._replace(at=now, closed=True))


class _Report(NamedTuple):
    """The last that was heard of a window."""

    user_name: str
    at: datetime
    closed: bool = False

    def counts(self, now: datetime) -> bool:
        return now - self.at < (LATE_REPORTS if self.closed else FORGOTTEN_AFTER)


def _format_key(work: str, window: str = "") -> str:
    return f"windows:{work}:{window}"


def _load_reports(work: str, now: datetime) -> dict[str, _Report]:
    """By window. Each is kept apart, so that windows that report at once do not undo what others report."""
    windows = cache.get(_format_key(work)) or []
    stored = cache.get_many([_format_key(work, window) for window in windows])
    reports = {window: _Report(*values) for window in windows if (values := stored.get(_format_key(work, window)))}
    return {window: report for window, report in reports.items() if report.counts(now)}


def _store_report(work: str, window: str, report: _Report) -> None:
    cache.set(_format_key(work, window), tuple(report), SECONDS_KEPT)


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
