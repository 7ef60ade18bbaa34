"""The pages of the manual, their contents, the links to them and the search."""

import re
from itertools import pairwise

import pytest
from django.urls import reverse

from annotations.formats.rules import FILE_RULES
from annotations.rule_registry import ANNOTATION_RULES
from bcms.manual.contexts.rules import list_rule_codes
from bcms.manual.page_text import iter_anchored_page_parts
from bcms.manual.pages import MANUAL_PAGE_BY_SLUG, MANUAL_PAGES
from bcms.manual.search import build_search_index, search_manual_for_all_words
from evaluation.__main__ import COMMANDS

# The ids of the manual when it was one page, except those of rules and commands.
FORMER_ANCHORS = """
reading keys finding consensus calibration kinds server plain-server kit-server starters check replay team protocol call
answer protocols rest rest-request rest-answer pubannotation pubannotation-request pubannotation-answer
pubannotation-open-answer becalm
becalm-request becalm-acknowledgement becalm-answer rules files life notifications webhook-receiver availability
measures ranks command reports commands runs mentions organizing archive judging labelling comparing by-hand api limits
roles exports
"""
EVERY_PAGE = pytest.mark.parametrize("page", MANUAL_PAGES, ids=lambda page: page.slug)


@pytest.fixture
def bodies(client, db):
    """The HTML of every page by its slug."""
    return {page.slug: client.get(f"/manual/{page.slug}/").content.decode() for page in MANUAL_PAGES}


@EVERY_PAGE
def test_its_contents_are_its_headings(client, db, page):
    body = client.get(f"/manual/{page.slug}/").content.decode()
    headings = re.findall(r'<h[23] id="([\w-]+)">(.*?)</h[23]>', body)
    assert headings == [(section.anchor, section.title) for section in page.sections]
    ids = re.findall(r'\bid="([^"]+)"', body)
    assert len(ids) == len(set(ids))
    assert set(page.examples) <= set(ids)


def test_each_page_leads_to_the_one_before_and_after(bodies):
    for page, following in pairwise(MANUAL_PAGES):
        assert f'<a href="/manual/{following.slug}/" rel="next">' in bodies[page.slug]
        assert f'<a href="/manual/{page.slug}/" rel="prev">' in bodies[following.slug]


def test_its_links_lead_to_parts_that_are_there(client, bodies):
    contents = client.get("/manual/").content.decode()
    for body in (contents, *bodies.values()):
        for slug, part in re.findall(r'href="/manual/([\w-]+)/#([\w-]+)"', body):
            assert f'id="{part}"' in bodies[slug], (slug, part)


def test_templates_link_to_parts_that_are_there(bodies, settings):
    sources = [path.read_text(encoding="utf-8") for path in (settings.BASE_DIR / "templates").rglob("*.html")]
    links = [link for source in sources for link in re.findall(r"""url 'manual-page' '([\w-]+)' %}#([\w-]+)""", source)]
    assert len(links) > 20
    assert [(slug, part) for slug, part in links if f'id="{part}"' not in bodies[slug]] == []
    assert not any("url 'manual' %}#" in source for source in sources)


def test_links_to_the_former_single_page_lead_on(client, db):
    contents = client.get("/manual/").content.decode()
    codes = {*ANNOTATION_RULES, *(rule.code for rule in FILE_RULES), "R201", "R301"}
    anchors = {*FORMER_ANCHORS.split(), *codes, *(f"command-{name}" for name in COMMANDS)}
    targets = dict(re.findall(r'id="([\w-]+)"[^>]*>?(?:<a )?[^>]*?href="/manual/[\w-]+/#([\w-]+)"', contents))
    assert {anchor: targets.get(anchor) for anchor in anchors} == {anchor: anchor for anchor in anchors}
    assert codes <= set(list_rule_codes())


@pytest.mark.parametrize("slug", ["nothing", "starters", "bcms"])
def test_it_has_no_other_pages(client, db, slug):
    assert client.get(f"/manual/{slug}/").status_code == 404


def test_its_files_are_where_they_were(client, db):
    assert client.get("/manual/bcms.py")["Content-Type"].startswith("text/")
    assert reverse("manual-page", args=["rules"]) == "/manual/rules/"


def test_the_search_finds_sections_that_contain_every_word(client, db):
    body = client.get("/manual/", {"q": "Isotonic BRIER"}).content.decode()
    assert re.findall(r'<h3><a href="([^"]+)">', body) == ["/manual/articles/#calibration"]
    assert "<mark>isotonic</mark>" in body
    nothing = client.get("/manual/", {"q": "isotonic xyzzy"}).content.decode()
    assert "No section of the manual contains all these words" in nothing


def test_the_search_finds_rules_and_commands(db):
    rule, command = (search_manual_for_all_words(query)[0].entry for query in ("R104", "tapk"))
    assert (rule.page.slug, rule.anchor) == ("rules", "R104")
    assert (command.page.slug, command.anchor) == ("runs", "command-tapk")


def test_the_search_puts_matching_titles_first(db):
    assert search_manual_for_all_words("webhooks")[0].entry.anchor == "webhooks"


def test_the_search_escapes_what_it_shows(client, db):
    body = client.get("/manual/", {"q": "<script>alert(1)</script>"}).content.decode()
    assert "<script>alert" not in body
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body
    source = client.get("/manual/", {"q": "simplexmlrpcserver find"}).content.decode()
    assert "<mark>SimpleXMLRPCServer</mark>" in source


@pytest.mark.parametrize("query", ["", "   ", "?" * 5000, "(", "[a-", "\\", "%", "\x00"])
def test_the_search_takes_any_text(client, db, query):
    assert client.get("/manual/", {"q": query}).status_code == 200


def test_the_index_is_made_once_of_all_sections(db):
    assert build_search_index() is build_search_index()
    indexed = {(entry.page.slug, entry.anchor) for entry in build_search_index()}
    assert {(page.slug, section.anchor) for page in MANUAL_PAGES for section in page.sections} <= indexed
    assert all(0 < len(entry.title) < 100 for entry in build_search_index())


def test_parts_are_text_without_markup():
    html = '<p>Before</p><h2 id="a">One &amp; two</h2><p>b<code>c</code>, d</p><p>e</p><svg><text>f</text></svg>'
    html += '<details><summary>h</summary>i</details><table><tr id="R1"><td>R1</td><td>g</td></tr></table>'
    part, rule = iter_anchored_page_parts(html)
    assert (part.anchor, part.title, part.text) == ("a", "One & two", "bc, d e h i")
    assert (rule.anchor, rule.title, rule.text) == ("R1", "R1", "R1 g")


def test_every_page_has_its_slug():
    assert list(MANUAL_PAGE_BY_SLUG) == [page.slug for page in MANUAL_PAGES]
