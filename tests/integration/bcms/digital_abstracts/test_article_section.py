"""The published digital abstract on the page of its article, and the way to curate the article."""

import pytest

from annotations.curation.publishing import withdraw_published_abstract
from annotations.curation.session import finish_curation
from tests.integration.article_cast import URL, make_article_of_three_servers, read_page_words
from tests.integration.curation_cast import NOON, begin
from tests.integration.published_cast import PASSAGE, publish_interaction, record_interaction

pytestmark = pytest.mark.django_db
# Without a digital abstract, and for the names in it.
# With two to learn whether the page can be kept for other visitors.
QUERIES, QUERIES_OF_NAMES = 11, 3


@pytest.fixture
def article(team):
    return make_article_of_three_servers(team)


def test_it_shows_a_published_abstract_under_the_text(client, alice, article):
    publish_interaction(alice, article)
    words = read_page_words(client.get(URL))
    assert "Structured digital abstract" in words
    assert "CDH1 (uniprotkb:P12830) physically interacts with CTNNB1 (uniprotkb:P35222) by two hybrid" in words
    assert "By alice, published on 2 March 2026" in words
    assert words.index("moves.") < words.index("Structured digital abstract") < words.rindex("Servers")
    assert PASSAGE in words[words.index("Structured digital abstract") :]


def test_it_offers_every_format(client, alice, article):
    publish_interaction(alice, article)
    body = client.get(URL).content.decode()
    for slug in ("sentences", "html", "ndjson", "mitab", "psi-mi-xml-2.5.4", "psi-mi-xml-3.0.0"):
        assert f'/api/v1/articles/20000001/digital-abstract/{slug}/"' in body
    assert "digital-abstract/nanopublications/" not in body


def test_nobody_sees_what_is_not_published(client, alice, carol, article):
    curation = record_interaction(alice, article)
    finish_curation(curation.pk, 2, NOON)
    for user in (None, carol, alice):
        if user:
            client.force_login(user)
        assert "Structured digital abstract" not in read_page_words(client.get(URL))


def test_an_open_page_learns_of_it(client, alice, article):
    page = client.get(URL).context["page"]
    poll = {"v": page.version, "keep": page.reading.text_signature}
    assert client.get(f"{URL}live/", poll).status_code == 204
    publish_interaction(alice, article)
    fresh = client.get(f"{URL}live/", poll)
    assert 'id="article-digital-abstract" data-part' in fresh.content.decode()
    assert "physically interacts with" in read_page_words(fresh)
    poll["v"] = fresh.context["page"].version
    withdraw_published_abstract(article.pk, NOON)
    assert "physically interacts with" not in read_page_words(client.get(f"{URL}live/", poll))


def test_it_offers_to_curate_to_those_who_are_logged_in(client, alice, article):
    assert "Curate this article" not in read_page_words(client.get(URL))
    client.force_login(alice)
    assert "Curate this article" in read_page_words(client.get(URL))
    reply = client.post(f"{URL}curate/")
    assert reply.url.startswith("/curation/")
    page = client.get(URL)
    assert f'href="{reply.url}"' in page.content.decode()
    assert "Go on curating" in read_page_words(page)


def test_another_reader_does_not_go_on_with_it(client, alice, carol, article):
    begin(alice, article)
    client.force_login(carol)
    assert "Curate this article" in read_page_words(client.get(URL))


def test_it_says_if_the_text_has_changed(client, alice, article):
    published = publish_interaction(alice, article)
    published.curation.text_version = 7
    published.curation.save(update_fields=["text_version"])
    assert "made with an earlier version of the text" in read_page_words(client.get(URL))


def test_it_takes_a_fixed_number_of_queries(client, alice, article, django_assert_num_queries):
    with django_assert_num_queries(QUERIES):
        client.get(URL)
    publish_interaction(alice, article)
    with django_assert_num_queries(QUERIES + QUERIES_OF_NAMES):
        client.get(URL)
