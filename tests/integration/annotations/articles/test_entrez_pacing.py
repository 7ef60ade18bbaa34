"""NCBI allows so many requests a second to a whole site: workers take turns, by the clock of the database."""

import threading
import time

import pytest
from django.db import connection

from annotations.articles.entrez.pacing import MARGIN, SharedPace, make_entrez_client, make_ncbi_pace


@pytest.mark.django_db(transaction=True)
def test_workers_share_the_turns():
    times, begun = [], time.monotonic()

    def worker():
        pace = SharedPace("ncbi", 20)
        for _ in range(3):
            pace()
            times.append(time.monotonic())
        connection.close()

    workers = [threading.Thread(target=worker) for _ in range(3)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert len(times) == 9
    # The first comes at once, each other one a turn later. Counted from before the first: a thread may wake late,
    # but never early.
    assert max(times) - begun >= 8 * MARGIN / 20 - 0.02


@pytest.mark.django_db
def test_a_service_that_was_not_asked_for_long_is_asked_at_once():
    pace = SharedPace("ncbi", 0.1)
    began = time.monotonic()
    pace()
    # Its turns come every 10 s.
    assert time.monotonic() - began < 9


@pytest.mark.django_db
@pytest.mark.parametrize(("key", "allowed"), [("", 3), ("abc", 10)])
def test_a_key_allows_more(settings, key, allowed):
    settings.ENTREZ_API_KEY = key
    assert make_ncbi_pace(key).pause == MARGIN / allowed
    assert isinstance(make_entrez_client().wait_for_turn, SharedPace)
