"""The widget shows what everybody may see, to everybody alike, and is the only page that others may frame."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.articles.models import Article, ArticleSnapshot, ArticleTakedown
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.metrics.visitor_pages import PAGES
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server

pytestmark = pytest.mark.django_db

URL = "/widget/articles/10000001/"
EVERY_HOST = "frame-ancestors *"


@pytest.fixture
def producer(server):
    return get_or_create_queue_and_producer(server, QueueMode.LIVE).producer


@pytest.fixture
def annotated(article, producer):
    start = article.text.index("E-cadherin")
    mention = AnnotationData(Kind.MENTION, start=start, end=start + 10, text="E-cadherin")
    store_results_superseding_earlier(article, producer, {Kind.MENTION: [mention]})
    return article


def list_marks(response):
    return re.findall(r'<a class="mark"[^>]*>([^<]*)</a>', response.content.decode())


def test_it_shows_the_heat_map_with_links_to_the_article(client, annotated):
    response = client.get(URL)
    assert list_marks(response) == ["E-cadherin"]
    start = annotated.text.index("E-cadherin")
    link = f'href="/articles/10000001/?kind=mention&amp;mention={start}-{start + 10}#mention"'
    assert link in response.content.decode()
    assert '<base target="_blank">' in response.content.decode()


def test_its_legend_says_what_colours_and_letters_mean(client, annotated, producer):
    assert "Types" not in client.get(URL).content.decode(), "mentions of genes alone have one colour"
    types = {"E-cadherin": "GeneOrGeneProduct", annotated.title.split()[0]: "Disease"}
    mentions = []
    for text, entity_type in types.items():
        start = annotated.text.index(text)
        mentions.append(AnnotationData(Kind.MENTION, start=start, end=start + len(text), text=text, type=entity_type))
    store_results_superseding_earlier(annotated, producer, {Kind.MENTION: mentions})
    page = client.get(URL).content.decode()
    legend = page.partition('class="legend"')[2].partition("</p>")[0]
    assert re.findall(r'data-t="(\w*)" data-l="(\w)">(\w+)<', legend) == [
        ("Gene", "G", "Genes"),
        ("Disease", "D", "Diseases"),
    ]
    assert 'data-n="1" data-t="">1 server<' in legend
    assert re.findall(r'<a class="mark"[^>]* data-t="(\w+)" data-l="(\w)"', page)[0] == ("Disease", "D")


def test_no_server_writes_into_its_legend(client, annotated, producer):
    """The page is part of those of other sites."""
    words = list(re.finditer(r"\w+", annotated.title))
    mentions = [
        AnnotationData(
            Kind.MENTION, start=word.start(), end=word.end(), text=word[0], type=f"Log in at evil.example {word[0]}"
        )
        for word in words
    ]
    store_results_superseding_earlier(annotated, producer, {Kind.MENTION: mentions})
    page = client.get(URL).content.decode()
    assert len(words) > 1 and "evil.example" not in page.partition('class="abstract"')[0].partition("<p class")[2]
    assert page.count(">Other types<") == 1


def test_it_alone_may_be_framed(client, annotated):
    framed = client.get(URL)
    assert EVERY_HOST in framed.headers["Content-Security-Policy"]
    assert "sandbox allow-scripts" in framed.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in framed.headers
    for path in ("/", "/articles/10000001/", "/widget/v1.js", "/widget/none/", "/login/", "/widget/articles//"):
        response = client.get(path)
        assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"], path
        assert response.headers["X-Frame-Options"] == "DENY", path


def test_a_kept_page_may_be_framed_too(client, annotated):
    client.get(URL)
    before = PAGES.labels("kept")._value.get()
    kept = client.get(URL)
    assert PAGES.labels("kept")._value.get() == before + 1
    assert "X-Frame-Options" not in kept.headers
    assert EVERY_HOST in kept.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("hosts", "ancestors"),
    [(["https://a.example", "https://b.example"], "https://a.example https://b.example"), ([], "'none'")],
)
def test_the_site_says_who_may_frame_it(client, annotated, settings, hosts, ancestors):
    settings.WIDGET_HOSTS = hosts
    assert f"frame-ancestors {ancestors};" in client.get(URL).headers["Content-Security-Policy"]


def test_it_shows_to_a_team_what_everybody_sees(as_alice, annotated, server):
    Server.objects.update(review="unreviewed")
    annotated.refresh_from_db()
    server.queues.get().producer.__class__.objects.update(public=False)
    assert "mark" in as_alice.get("/articles/10000001/").content.decode()
    own = as_alice.get(f"{URL}?unreviewed=1")
    assert list_marks(own) == []
    assert own.content == Client().get(URL).content


def test_it_reads_no_session_and_sets_no_cookie(as_alice, annotated):
    as_alice.cookies["article_filters"] = "server=none"
    with CaptureQueriesContext(connection) as queries:
        response = as_alice.get(URL, headers={"Authorization": "Bearer x"})
    assert list_marks(response) == ["E-cadherin"]
    assert not [query for query in queries.captured_queries if re.search("session|auth_user|token", query["sql"])]
    assert (response.headers.get("Set-Cookie"), len(response.cookies)) == (None, 0)
    assert response.headers["Cache-Control"] == "public, max-age=60"


def test_it_does_not_tell_hidden_from_unknown_articles(client, as_alice, annotated, django_user_model):
    unknown = client.get("/widget/articles/999/")
    ArticleTakedown.objects.create(article=annotated, reason="asked")
    staff = Client()
    staff.force_login(django_user_model.objects.create_user("root", is_staff=True))
    for reader in (Client(), as_alice, staff):
        hidden = reader.get(URL)
        assert (hidden.status_code, hidden.content) == (404, unknown.content)
        assert EVERY_HOST in hidden.headers["Content-Security-Policy"]
    assert "No annotations to show" in unknown.content.decode()


def test_it_is_as_new_as_the_article(client, annotated, producer):
    assert list_marks(client.get(URL)) == ["E-cadherin"]
    store_results_superseding_earlier(annotated, producer, {Kind.MENTION: []})
    assert list_marks(client.get(URL)) == []


def test_it_counts_for_the_limit_of_the_address(client, annotated, settings):
    settings.API_PER_MINUTE_ADDRESS = 1
    assert client.get(URL).status_code == 200
    refused = client.get(URL)
    assert (refused.status_code, refused.headers.get("Cache-Control")) == (429, None)
    assert EVERY_HOST in refused.headers["Content-Security-Policy"]
    assert "Too many requests" in refused.content.decode() and "Log in" not in refused.content.decode()


def test_its_script_is_kept_for_a_day_and_open_to_all_sites(client):
    response = client.get(reverse("widget-script"))
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert response.headers["Cache-Control"] == "public, max-age=86400"
    assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert len(response.content) < 2500


def test_the_article_page_has_the_tag_to_copy(client, annotated):
    page = client.get("/articles/10000001/").content.decode()
    assert '&lt;script src="http://testserver/widget/v1.js" data-pmid="10000001" async&gt;&lt;/script&gt;' in page


def test_it_leads_from_a_former_id_in_a_test_to_the_article(client, annotated):
    snapshot = Article.objects.create(opaque="kq7zw2mx", blind=True, passages=[], text="", content_hash="0" * 64)
    ArticleSnapshot.objects.create(article=snapshot)
    former = "/widget/articles/kq7zw2mx/"
    assert client.get(former).status_code == 404
    ArticleSnapshot.objects.update(public_article=annotated)
    response = client.get(former)
    assert (response.status_code, response["Location"]) == (302, URL)
    assert EVERY_HOST in response.headers["Content-Security-Policy"]
    ArticleTakedown.objects.create(article=annotated)
    assert client.get(former).status_code == 404
