"""Windows with the same work warn of each other before anything is decided; nobody else learns of them."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from annotations.curation.models import Curation
from bcms.curation import windows
from bcms.curation.windows import (
    FORGOTTEN_AFTER,
    LATE_REPORTS,
    MOST_WINDOWS,
    close_window,
    describe_other_windows,
    report_window,
)
from tests.integration.article_cast import make_read_article
from tests.integration.curation_cast import NOON, begin

pytestmark = pytest.mark.django_db


@pytest.fixture
def work(request):
    """Windows are kept in the cache, which the tests share."""
    return request.node.name


def open_page(client, address):
    """The address where the window reports, and the version that it shows."""
    page = client.get(address).content.decode()
    return re.search(r'data-live="([^"]+)" data-version="([^"]+)"', page).groups()


def report(client, window, version="0"):
    response = client.get(f"{window}&v={version}")
    return response.status_code, response.content.decode()


def test_a_window_learns_of_the_others(work):
    assert report_window(work, "a", "alice", NOON) == []
    assert report_window(work, "b", "alice", NOON) == ["alice"]
    assert report_window(work, "a", "alice", NOON) == ["alice"]
    assert report_window(f"{work}-other", "c", "carol", NOON) == []


def test_it_forgets_windows_that_were_closed_or_report_no_longer(work):
    report_window(work, "a", "alice", NOON)
    report_window(work, "b", "alice", NOON)
    close_window(work, "b", NOON)
    assert report_window(work, "a", "alice", NOON) == []
    report_window(work, "c", "alice", NOON)
    assert report_window(work, "d", "alice", NOON + FORGOTTEN_AFTER - timedelta(seconds=1)) == ["alice"] * 2
    assert report_window(work, "d", "alice", NOON + FORGOTTEN_AFTER) == []


def test_a_late_report_does_not_open_a_closed_window_again(work):
    report_window(work, "a", "alice", NOON)
    report_window(work, "b", "alice", NOON)
    close_window(work, "b", NOON)
    report_window(work, "b", "alice", NOON + timedelta(seconds=1))
    assert report_window(work, "a", "alice", NOON + timedelta(seconds=2)) == []
    # The browser shows the page again as it was.
    report_window(work, "b", "alice", NOON + LATE_REPORTS)
    assert report_window(work, "a", "alice", NOON + LATE_REPORTS) == ["alice"]


def test_a_report_under_way_does_not_open_a_closed_window_again(work, monkeypatch):
    report_window(work, "a", "alice", NOON)
    report_window(work, "b", "alice", NOON)
    load = windows._load_reports

    def load_and_close(*args):
        found = load(*args)
        monkeypatch.undo()
        close_window(work, "b", NOON)
        return found

    monkeypatch.setattr(windows, "_load_reports", load_and_close)
    report_window(work, "b", "alice", NOON)
    assert report_window(work, "a", "alice", NOON) == []


def test_it_keeps_a_limited_number_of_windows(work):
    for number in range(MOST_WINDOWS + 5):
        others = report_window(work, str(number), "alice", NOON)
    assert len(others) == MOST_WINDOWS


@pytest.mark.parametrize(
    ("names", "warning"),
    [
        ([], ""),
        (["alice", "alice"], "You have this article open in another window, too. Reload"),
        (["alice", "carol"], "carol has this article open, too. Reload"),
        (["dan", "carol", "dan"], "carol and dan have this article open, too. Reload"),
    ],
)
def test_it_says_who_has_the_article_open(names, warning):
    assert describe_other_windows(names, "alice").partition(" to see")[0] == warning


def test_two_windows_of_a_curation_warn_of_each_other_until_one_is_closed(as_alice, alice):
    curation = begin(alice, make_read_article())
    first, version = open_page(as_alice, f"/curation/{curation.pk}/")
    assert report(as_alice, first, version) == (204, "")
    second, _ = open_page(as_alice, f"/curation/{curation.pk}/?step=entities")
    status, part = report(as_alice, first, version)
    assert (status, "You have this article open in another window" in part) == (200, True)
    assert re.search('data-announce="You have', part)
    newer = re.search('data-version="([^"]+)"', part)[1]
    assert report(as_alice, first, newer)[0] == 204
    assert as_alice.post(second).status_code == 204
    status, part = report(as_alice, first, newer)
    assert (status, "another window" in part) == (200, False)


def test_nobody_learns_that_somebody_else_curates_the_article(as_alice, alice, carol):
    article = make_read_article()
    other = Client()
    other.force_login(carol)
    own, theirs = begin(alice, article), begin(carol, article)
    first, version = open_page(as_alice, f"/curation/{own.pk}/")
    open_page(other, f"/curation/{theirs.pk}/")
    assert report(as_alice, first, version) == (204, "")
    assert report(other, first, version)[0] == 404


def test_a_finished_curation_warns_of_nothing(as_alice, alice):
    curation = begin(alice, make_read_article())
    Curation.objects.update(state="finished")
    assert "data-live" not in as_alice.get(f"/curation/{curation.pk}/").content.decode()


@pytest.mark.parametrize("query", ["", "?window=", "?window=1", "?window=0123456789ABCDEF"])
def test_it_refuses_what_names_no_window(as_alice, alice, query):
    curation = begin(alice, make_read_article())
    assert as_alice.get(f"/curation/{curation.pk}/live/{query}").status_code == 404
    assert as_alice.post(f"/curation/{curation.pk}/live/{query}").status_code == 404
