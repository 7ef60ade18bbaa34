"""Decisions are kept once and in order; nothing is overwritten that its page has not shown."""

import threading

import pytest
from django.db import connection

from annotations.curation.errors import CurationError, StaleDecisionError
from annotations.curation.models import Curation, DecidedItem, Decision
from annotations.curation.session import finish_curation, open_curation, set_sight
from tests.integration.article_cast import make_read_article
from tests.integration.curation_cast import NOON, begin, decide, list_states, propose_gene

pytestmark = pytest.mark.django_db


@pytest.fixture
def curation(alice):
    return begin(alice, make_read_article())


def test_it_keeps_every_decision_and_the_last_one_counts(curation):
    decide(curation, "accept", propose_gene(producers=[7]))
    decide(curation, "reject", propose_gene(), reason="wrong organism")
    assert list_states(curation) == {"uniprot:P12830": "rejected"}
    rows = curation.decisions.order_by("number").values_list("number", "action", "reason", "user__username")
    assert list(rows) == [(1, "accept", "", "alice"), (2, "reject", "wrong organism", "alice")]
    assert DecidedItem.objects.get(decision__number=1).producers == [7]


def test_it_decides_on_many_items_at_once_and_undoes_them_as_one(curation):
    decide(curation, "reject", propose_gene("P09803"))
    decide(curation, "accept", *[propose_gene(name) for name in ("P12830", "P09803", "P35222")])
    assert set(list_states(curation).values()) == {"accepted"}
    undo = decide(curation, "undo")
    assert list_states(curation) == {"uniprot:P09803": "rejected"}
    assert (undo.undoes.number, undo.number) == (2, 3)


def test_it_undoes_one_decision_after_the_other_and_says_when_there_is_none(curation):
    decide(curation, "accept", propose_gene("P12830"))
    decide(curation, "skip", propose_gene("P35222"))
    decide(curation, "undo")
    assert list_states(curation) == {"uniprot:P12830": "accepted"}
    decide(curation, "undo")
    assert list_states(curation) == {}
    with pytest.raises(CurationError, match="no decision to undo"):
        decide(curation, "undo")


def test_it_decides_anew_after_an_undo(curation):
    decide(curation, "accept", propose_gene())
    decide(curation, "undo")
    decide(curation, "reject", propose_gene())
    decide(curation, "undo")
    decide(curation, "accept", propose_gene())
    assert list_states(curation) == {"uniprot:P12830": "accepted"}


def test_it_stores_a_request_that_is_sent_twice_once(curation):
    first = decide(curation, "accept", propose_gene(), token="same")
    assert decide(curation, "accept", propose_gene(), token="same") == first
    assert decide(curation, "undo", token="undo") == decide(curation, "undo", token="undo")
    assert curation.decisions.count() == 2


def test_it_does_not_overwrite_a_decision_that_the_page_has_not_shown(curation):
    decide(curation, "accept", propose_gene("P12830"), seen=0)
    decide(curation, "accept", propose_gene("P35222"), seen=0)
    with pytest.raises(StaleDecisionError, match="decided in another window"):
        decide(curation, "reject", propose_gene("P12830"), propose_gene("P09803"), seen=0)
    with pytest.raises(StaleDecisionError, match="later decision"):
        decide(curation, "undo", seen=1)
    assert list_states(curation) == {"uniprot:P12830": "accepted", "uniprot:P35222": "accepted"}
    assert Curation.objects.get().revision == 2


def test_it_decides_nothing_after_the_curation_is_finished(curation):
    decide(curation, "accept", propose_gene())
    finish_curation(curation.pk, 1, NOON)
    with pytest.raises(CurationError, match="finished"):
        decide(curation, "reject", propose_gene())
    with pytest.raises(CurationError, match="finished"):
        decide(curation, "undo")


def test_it_measures_the_time_in_sight_before_each_decision(curation):
    opened = open_curation(curation.pk, None, NOON)
    decide(curation, "accept", propose_gene(), seconds=8)
    set_sight(
        curation.pk, opened.showing, decide(curation, "skip", propose_gene("P35222"), seconds=10).at, in_sight=False
    )
    decide(curation, "reject", propose_gene("P35222"), seconds=500)
    assert list(curation.decisions.order_by("number").values_list("seconds", flat=True)) == [8.0, 2.0, 0.0]
    assert Curation.objects.get().seconds == 10.0


def test_it_counts_ten_minutes_at_most_and_ignores_an_outdated_page(curation):
    old = open_curation(curation.pk, None, NOON)
    new = open_curation(curation.pk, None, NOON)
    assert not set_sight(curation.pk, old.showing, NOON, in_sight=False)
    assert new.running == NOON
    assert decide(curation, "accept", propose_gene(), seconds=3600).seconds == 600.0


@pytest.mark.django_db(transaction=True)
def test_it_loses_and_doubles_nothing_when_windows_decide_at_once(alice):
    curation = begin(alice, make_read_article())

    def accept_all(window):
        try:
            for name in range(12):
                # Two windows send the same tokens, as a browser does that sends a request again.
                decide_with_token(curation, f"Q0000{name % 6}", f"{window % 2}-{name}")
        finally:
            connection.close()

    threads = [threading.Thread(target=accept_all, args=[window]) for window in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numbers = list(curation.decisions.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, 25))
    assert Decision.objects.filter(curation=curation).values("token").distinct().count() == 24
    assert len(list_states(curation)) == 6


def decide_with_token(curation, identifier, token):
    decide(curation, "accept", propose_gene(identifier), seen=10**6, token=token)
