"""Judges decide about pooled passages by keys and, without scripts, by buttons; on a desk and a phone."""

import re

import pytest

from evaluation.pooling.models import Judgement
from tests.integration import pooling_cast as cast

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ADDRESS = "/challenges/pooled/training/ISS/pool/"


@pytest.fixture
def pool(olga, team, judges):
    phase = cast.make_phase(olga)
    cast.first_run(team, phase)
    cast.second_run(team, phase)
    return cast.make_pool(phase, *judges)


def open_as_judge(page, live_server, client, user, address):
    client.force_login(user)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([cookie])
    page.goto(f"{live_server.url}{address}")


def marks(judge):
    rows = Judgement.objects.filter(judge=judge, superseded__isnull=True).select_related("passage")
    return {own.passage.passage: (own.relevant, own.best) for own in rows}


def press(page, key, then):
    """Press it, and wait until the page says so and stands at a passage."""
    page.keyboard.press(key)
    page.get_by_text(then).wait_for()
    page.locator(".passage.current").wait_for()


def current(page):
    return page.locator(".passage.current > p").first.inner_text().removesuffix(" in the text")


def test_it_judges_by_keys(page, live_server, client, pool, judges):
    open_as_judge(page, live_server, client, judges[0], f"{ADDRESS}judge/")
    expected = {}
    for number in (1, 2):
        for place in range(page.locator(".passage").count()):
            expected[current(page)] = (place == 0, place == 0)
            press(page, "b" if place == 0 else "n", f"{len(expected)} of 5 passages judged; pair {number} of 2")
        if number == 1:
            press(page, "u", "pair 2 of 2")
    assert marks(judges[0]) == expected
    page.get_by_text("All passages are judged").wait_for()
    press(page, "ArrowLeft", "pair 1 of 2")
    page.keyboard.press("ArrowDown")
    text = current(page)
    with page.expect_response(lambda response: response.request.method == "POST"):
        page.keyboard.press("y")
    page.get_by_role("button", name=re.compile("^Relevant"), pressed=True).wait_for()
    assert marks(judges[0])[text] == (True, False)


def test_it_judges_without_scripts(browser, live_server, client, pool, judges):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    open_as_judge(page, live_server, client, judges[1], f"{ADDRESS}judge/?at=1")
    texts = page.locator(".passage > p").all_inner_texts()
    page.get_by_role("button", name="Best").first.click()
    assert page.url.split("#")[0].endswith("?at=1")
    page.get_by_role("link", name="Next pair").click()
    page.wait_for_load_state()
    page.get_by_role("button", name="Not relevant").last.click()
    found = marks(judges[1])
    assert found[texts[0].removesuffix(" in the text")] == (True, True)
    assert sorted(found.values()) == [(False, False), (True, True)]
    context.close()


def test_its_pages_fit_a_phone(phone, live_server, client, pool, judges, olga):
    cast.judge_all(pool, judges[0])
    for user, address in ((judges[0], "judge/"), (olga, ""), (olga, "adjudicate/")):
        open_as_judge(phone, live_server, client, user, f"{ADDRESS}{address}")
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390, address
