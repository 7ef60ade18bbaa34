"""A curator labels by two keys, with a clock that stands while the page is out of sight, on a desk and a phone."""

import pytest

from evaluation.labelling import curators
from evaluation.labelling.models import Label, Labeller
from tests.integration.evaluation_cast import make_challenge, make_corpus

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def curator(olga, carol):
    challenge = make_challenge(olga, make_corpus())
    found = curators.begin_labelling_claiming_blind_corpus(
        challenge, challenge.phases.get().corpus, order="given", again_every=0
    )
    return curators.add_and_mail_or_readmit_curator(found, carol)


def open_as_labeller(page, live_server, client, user, own):
    client.force_login(user)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([cookie])
    page.goto(f"{live_server.url}/labelling/{own.pk}/")


def press(page, key, then):
    """The keys work when the page and its script are there."""
    page.keyboard.press(key)
    page.get_by_role("heading", name=then).wait_for()
    page.wait_for_load_state()


def labels():
    return list(Label.objects.filter(superseded__isnull=True).order_by("article__pmid").values_list("relevant"))


def test_it_labels_by_keys(page, live_server, client, carol, curator):
    open_as_labeller(page, live_server, client, carol, curator)
    press(page, "y", "Article 102")
    press(page, "n", "Article 103")
    press(page, "u", "Article 102")
    press(page, "y", "Article 103")
    press(page, "p", "Paused")
    page.keyboard.press("y")
    press(page, "p", "Article 103")
    press(page, "s", "Article 104")
    press(page, "n", "Article 103")
    press(page, "n", "All done")
    assert labels() == [(True,), (True,), (False,), (False,)]
    press(page, "u", "Article 103")


def test_it_stops_the_clock_out_of_sight(page, live_server, client, carol, curator):
    open_as_labeller(page, live_server, client, carol, curator)
    hide = """hidden => {
        Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    for hidden in (True, False):
        with page.expect_response(lambda response: "/clock/" in response.url) as told:
            page.evaluate(hide, hidden)
        assert told.value.status == 204
        assert (Labeller.objects.get().running is None) == hidden


def test_it_labels_once_however_often_the_key_is_pressed(page, live_server, client, carol, curator):
    open_as_labeller(page, live_server, client, carol, curator)
    twice = (
        "for (const _ of [1, 2]) document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'y', bubbles: true}))"
    )
    page.evaluate(twice)
    page.get_by_role("heading", name="Article 102").wait_for()
    assert labels() == [(True,)]


def test_it_labels_on_a_phone_without_keys(phone, live_server, client, carol, curator):
    open_as_labeller(phone, live_server, client, carol, curator)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    button = phone.get_by_role("button", name="Not relevant")
    box = button.bounding_box()
    assert box["height"] >= 40
    assert box["y"] + box["height"] <= 844
    button.click()
    phone.get_by_role("heading", name="Article 102").wait_for()
    assert labels() == [(False,)]
