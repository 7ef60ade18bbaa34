"""Wide tables on a phone: the first column stays in sight, and what there is more of fades away at the edge."""

import re

import pytest
from playwright.sync_api import expect

from tests.acceptance.page_table import PMID
from tests.acceptance.whole_site import make_site

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MORE_BEFORE, MORE_AFTER = re.compile(r"\bmore-before\b"), re.compile(r"\bmore-after\b")


@pytest.fixture
def site(server, alice, olga, django_user_model):
    return make_site(server, alice, olga, django_user_model.objects.create_user)


def find_left_edge(locator):
    return locator.evaluate("element => element.getBoundingClientRect().left")


def test_the_first_column_stays_in_sight(phone, live_server, site):
    phone.goto(f"{live_server.url}/servers/")
    for folded in phone.locator("main details:not([open]) > summary").all():
        folded.click()
    tables = phone.locator("main .scroll:has(tbody th[scope=row]:first-child)")
    wide = [box for box in tables.all() if box.evaluate("box => box.scrollWidth > box.clientWidth + 40")]
    assert wide
    for box in wide:
        name = box.locator("tbody th").first
        expect(box).to_have_class(MORE_AFTER)
        box.evaluate("box => box.scrollTo(box.scrollWidth, 0)")
        expect(box).to_have_class(MORE_BEFORE)
        expect(box).not_to_have_class(MORE_AFTER)
        assert find_left_edge(name) >= find_left_edge(box)
        assert name.evaluate("name => getComputedStyle(name).backgroundColor") != "rgba(0, 0, 0, 0)"


def test_the_fading_edge_comes_and_goes_with_the_width(page, live_server):
    page.goto(f"{live_server.url}/manual/protocols/")
    box = page.locator("main .scroll").first
    expect(box).to_have_class("scroll")
    page.set_viewport_size({"width": 390, "height": 900})
    expect(box).to_have_class(MORE_AFTER)
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(box).to_have_class("scroll")


def test_rows_of_texts_are_blocks_of_lines_on_a_phone(phone, live_server, site):
    phone.goto(f"{live_server.url}/articles/{PMID}/results/")
    box = phone.locator("main .scroll")
    expect(box).to_have_class("scroll")
    row = box.locator("tbody tr").first
    edges = [find_left_edge(cell) for cell in row.locator("th, td").all()[:3]]
    assert len(set(edges)) == 1
    head = row.locator("[data-head=State]").evaluate("cell => getComputedStyle(cell, '::before').content")
    assert "State" in head


def test_rows_of_figures_are_blocks_below_the_width_of_a_desktop(page, live_server, site):
    page.goto(f"{live_server.url}/teams/team-alpha/")
    box, head = page.locator("#servers"), page.locator("#servers thead")
    figure = page.locator("#servers tbody [data-head=Failed]").first
    assert head.bounding_box()["height"] > 1
    for width in (820, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert head.bounding_box()["height"] == 1
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
        assert figure.evaluate("cell => getComputedStyle(cell, '::before').content") == '"Failed"'


@pytest.mark.parametrize(("width", "rows"), [(1280, 1), (820, 1), (700, 1), (390, 3)])
def test_no_way_into_the_site_stands_alone_in_its_row(page, live_server, width, rows):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(live_server.url)
    ways = page.locator(".ways > li")
    expect(ways).to_have_count(3)
    assert len({way.bounding_box()["y"] for way in ways.all()}) == rows
