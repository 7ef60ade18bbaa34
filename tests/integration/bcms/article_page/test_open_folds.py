"""Which folded parts of the article page are open is in its URL, and the page opens them without scripts."""

import re

import pytest

from bcms.article_page.reader_choice import LONGEST_PARAMETER
from tests.integration.article_cast import URL, make_article_of_three_servers, span


@pytest.fixture
def article(team):
    return make_article_of_three_servers(team)


def list_open_folds(response):
    return re.findall(r'<details[^>]* id="([^"]+)"[^>]* open|<details id="([^"]+)" open', response.content.decode())


def get_open_folds(client, query):
    return ["".join(pair) for pair in list_open_folds(client.get(URL, query))]


def test_it_opens_what_the_url_names(client, article):
    query = {"kind": "mention", "mention": span(article, "CTNNB1")}
    page = client.get(URL, query).context["page"]
    row = page.listing.row_ids[0]
    assert get_open_folds(client, query) == []
    assert set(get_open_folds(client, {**query, "open": f"why.{row}.cite-2.embed"})) == {"why", row, "cite-2", "embed"}
    assert get_open_folds(client, {**query, "open": "filters.consensus"}) == ["filters", "consensus"]


@pytest.mark.parametrize("asked", ["", ".", "nothing.like.this", '"><script>', "x" * 9000])
def test_it_ignores_what_is_no_part_of_the_page(client, article, asked):
    response = client.get(URL, {"open": asked})
    assert list_open_folds(response) == []
    assert "<script>" not in response.content.decode()
    assert len(response.context["page"].reading.choice.format_open_details()) <= LONGEST_PARAMETER


def test_links_keep_what_is_open_and_the_closed_card_takes_its_own_along(client, article):
    page = client.get(URL, {"mention": span(article, "CTNNB1"), "open": "why.cite-1"}).context["page"]
    assert "open=why.cite-1" in page.tab_query and "open=why.cite-1" in page.live_url
    assert page.close_query == "?kind=normalization&open=cite-1"
    assert ("open", "why.cite-1") in page.filter_pairs


def test_what_is_open_is_neither_cited_nor_a_reason_to_send_rows_again(client, article):
    folded, unfolded = (client.get(URL, {"kind": "mention", "open": each}).context for each in ("", "cite-1.why"))
    assert folded["page"].rows_signature == unfolded["page"].rows_signature
    assert "open=" not in unfolded["citations"].url


def test_the_comparison_of_two_servers_opens_sources(client, article):
    query = {"server": ["alpha", "beta"]}
    html = client.get(f"{URL}compare/", query).content.decode()
    row = re.search(r'<details id="(r[0-9a-f]{8})">', html)[1]
    assert f'<details id="{row}" open>' in client.get(f"{URL}compare/", {**query, "open": row}).content.decode()
