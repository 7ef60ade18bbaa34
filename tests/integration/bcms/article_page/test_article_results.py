"""Where annotations come from: who said what, when, by which reply, and who may see it."""

import json
import re

import pytest

from annotations.articles.imports.article_storage import store_annotated_articles
from annotations.articles.models import Article, Corpus
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle, TextPassage
from annotations.results.changed_texts.moving import move_annotations_of_replaced_texts
from annotations.results.models import Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind, Span, make_mention
from bcms.article_page.text.marked_text import get_text_of_parts
from servers.calls.models import Attempt, Call
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from tests.integration.article_cast import (
    ABSTRACT,
    TITLE,
    URL,
    gene,
    make_article_of_three_servers,
    mention,
    read_page_words,
)
from tests.integration.evaluation_cast import hide_article

LIST = f"{URL}results/"
LIST_QUERIES, RESULT_QUERIES = 2, 5


@pytest.fixture
def article(team):
    return make_article_of_three_servers(team)


@pytest.fixture
def secret(article, server):
    """What a server said in a TRAINING queue, with a reply that holds its keys."""
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.TRAINING)
    call = Call.objects.create(queue=queue, server=server, article=article, priority=2)
    rules = [{"code": "R105", "where": "mentions[3].start", "message": "<b>Not there.</b>", "mend": "Count again."}]
    Attempt.objects.create(call=call, server=server, number=1, outcome="answered", broken_rules=rules)
    reply = json.dumps({"api_key": "abc", "said": server.secret_key, "html": "<script>alert(1)</script>"}).encode()
    found = {Kind.NORMALIZATION: [gene("P12830")]}
    (pk,) = store_results_superseding_earlier(
        article, queue.producer, found, call_id=call.pk, reply_body=reply, duration_seconds=1.5
    ).values()
    return Result.objects.get(pk=pk)


def test_it_lists_every_answer_that_is_kept(client, article):
    response = client.get(LIST)
    assert response.status_code == 200
    assert read_page_words(response).count("Alpha") == 2
    assert "current" in read_page_words(response)


def test_it_shows_where_an_annotation_comes_from(client, article):
    row = client.get(URL).context["page"].listing.rows[0]
    response = client.get(f"{LIST}{row.lines[0].result}/")
    words = read_page_words(response)
    assert "Genes and proteins by Alpha" in words
    assert "Duration 0.5 s" in words
    assert "version 1, the current version" in words
    assert "{&quot;said&quot;: &quot;yes&quot;}" in words


def test_it_shows_replies_masked_and_as_text(client, alice, secret):
    client.force_login(alice)
    for path in (f"{LIST}{secret.pk}/", f"{LIST}{secret.pk}/reply"):
        content = client.get(path).content.decode()
        assert not re.search(r"\babc\b", content)
        assert secret.producer.queue.server.secret_key not in content
        assert "[masked]" in content
    page = client.get(f"{LIST}{secret.pk}/")
    assert b"<script>alert" not in page.content
    assert "R105 mentions[3].start &lt;b&gt;Not there.&lt;/b&gt;" in read_page_words(page)
    download = client.get(f"{LIST}{secret.pk}/reply")
    assert download.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert download.headers["Content-Disposition"].startswith("attachment")


def test_it_shows_64_kib_of_a_reply_and_gives_the_rest(client, article):
    queue = article.results.first().producer
    (pk,) = store_results_superseding_earlier(article, queue, {Kind.TAXON: []}, reply_body=b"x" * 100_000).values()
    response = client.get(f"{LIST}{pk}/")
    assert response.content.count(b"x" * 65_536) == 1
    assert b"x" * 65_537 not in response.content
    assert "33.7 KB more" in read_page_words(response).replace("\xa0", " ")
    assert len(client.get(f"{LIST}{pk}/reply").content) == 100_000


def test_it_says_why_an_answer_is_empty(client, article):
    queue = article.results.first().producer
    (pk,) = store_results_superseding_earlier(
        article, queue, {Kind.TAXON: []}, empty_reason="no answer after 5 tries"
    ).values()
    words = read_page_words(client.get(f"{LIST}{pk}/"))
    assert "0: counted as empty (no answer after 5 tries)" in words
    assert "not stored" in words
    assert client.get(f"{LIST}{pk}/reply").status_code == 404


def test_it_shows_answers_to_their_team_only(client, secret, carol, alice):
    paths = [f"{LIST}{secret.pk}/", f"{LIST}{secret.pk}/reply"]
    for user, status, listed in [(None, 404, False), (carol, 404, False), (alice, 200, True)]:
        if user:
            client.force_login(user)
        assert [client.get(path).status_code for path in paths] == [status, status]
        assert ("GeneDict (training)" in read_page_words(client.get(LIST))) is listed


def test_it_shows_no_answer_under_another_article(client, article, secret):
    Article.objects.create(pmid=20000002, passages=article.passages, text=article.text, content_hash="3" * 64)
    result = article.results.exclude(pk=secret.pk).first()
    assert client.get(f"/articles/20000002/results/{result.pk}/").status_code == 404
    assert client.get(f"{LIST}{10**9}/").status_code == 404


def test_it_hides_the_answers_on_a_blind_article(client, article, carol):
    result = article.results.first()
    hide_article(article, Corpus.objects.create(slug="test", name="Test", blind=True))
    for user in (None, carol):
        if user:
            client.force_login(user)
        for path in (LIST, f"{LIST}{result.pk}/", f"{LIST}{result.pk}/reply"):
            assert client.get(path).status_code == 404


@pytest.fixture
def rewritten(article):
    """The article with a text of its own now, on which one of the three servers has answered again."""
    again = article.results.filter(kind=Kind.MENTION).first().producer
    passages = (TextPassage("title", "Rewritten"), TextPassage("abstract", "CDH1 alone."))
    store_annotated_articles([ParsedArticle(ArticleIds(article.pmid), passages)])
    now = Article.objects.get(pk=article.pk)
    store_results_superseding_earlier(now, again, {Kind.MENTION: [mention(now, "CDH1")]})
    return now


def test_it_tells_apart_what_was_said_of_an_older_text(client, article, rewritten):
    page = client.get(URL)
    assert "5 results for older versions of the text are not shown: see version 1." in read_page_words(page)
    assert f'href="{URL}?text=1"' in page.content.decode()
    assert f'href="{LIST}"' in page.content.decode()
    assert read_page_words(client.get(LIST)).count("on an older text") == 5
    result = article.results.filter(superseded=None, text_version=1).first()
    response = client.get(f"{LIST}{result.pk}/")
    assert "This result is for version 1 of the text. The current version is 2" in read_page_words(response)
    assert f'<a href="{URL}?text=1">Show the result on the older version</a>' in response.content.decode()


def test_it_shows_an_older_text_with_all_that_was_said_of_it(client, article, rewritten):
    response = client.get(URL, {"text": 1, "kind": "mention"})
    words = read_page_words(response)
    assert "This is version 1 of the text, with its annotations. The current version is version 2." in words
    assert TITLE in words
    page = response.context["page"]
    assert {word.result.text_version for word in page.reading.source_results} == {1}
    # Also what the server says otherwise of the present text.
    assert len(page.reading.source_results) == 6
    assert page.done
    assert "text=1" in page.live_url and "text=1" in page.mention_query
    assert not response.context["exports"]
    assert b"Rewritten" not in response.content


def test_it_says_that_a_text_is_not_kept(client, article, rewritten):
    assert [client.get(URL, {"text": version}).status_code for version in (2, 3)] == [200, 404]


def test_it_says_that_a_later_answer_took_its_place(client, article):
    old = article.results.first()
    store_results_superseding_earlier(article, old.producer, {Kind(old.kind): []})
    assert "This result was replaced by a newer one" in read_page_words(client.get(f"{LIST}{old.pk}/"))
    assert "replaced" in read_page_words(client.get(LIST))


def test_it_takes_a_fixed_number_of_queries(client, article, django_assert_num_queries):
    with django_assert_num_queries(LIST_QUERIES):
        client.get(LIST)
    with django_assert_num_queries(RESULT_QUERIES):
        client.get(f"{LIST}{article.results.first().pk}/")


@pytest.fixture
def corrected(article):
    """The article with a small correction, to which a worker has moved the answers of the three servers."""
    passages = (TextPassage("title", TITLE), TextPassage("abstract", ABSTRACT.replace("CTNNB1 was", "The gene was")))
    store_annotated_articles([ParsedArticle(ArticleIds(article.pmid), passages)])
    move_annotations_of_replaced_texts()
    return Article.objects.get(pk=article.pk)


def test_it_marks_what_was_moved_from_an_earlier_text(client, corrected):
    words = read_page_words(client.get(URL))
    assert "moved from an earlier text" in words
    assert "for older versions" not in words


def test_it_lists_what_could_not_be_moved(client, corrected):
    moved = corrected.results.filter(superseded__isnull=True, kind=Kind.MENTION)
    left_behind, moved_whole = moved.filter(not_movable=1).first(), moved.filter(not_movable=0).first()
    words = read_page_words(client.get(f"{LIST}{left_behind.pk}/"))
    assert "made on version 1 of the text and moved to the same words of version 2. 1 could not be moved" in words
    assert re.search(r"Annotations that could not be moved .* CTNNB1 gene \d+-\d+", words)
    assert "could not be moved" not in read_page_words(client.get(f"{LIST}{moved_whole.pk}/"))


def test_rest_says_what_was_moved(client, article, corrected):
    results = client.get(f"/api/v1{URL}annotations/").json()["results"]
    assert {each["moved_from"] for each in results} == {1}
    (behind,) = [each for each in results if each["not_movable"]]
    detail = client.get(f"/api/v1{URL}results/{behind['id']}/").json()
    assert (detail["moved_from"], [each["text"] for each in detail["left_behind"]]) == (1, ["CTNNB1"])
    again = client.get(f"/api/v1{URL}annotations/?text=1").json()["results"]
    assert not any("moved_from" in each or "not_movable" in each for each in again)
    earlier = client.get(f"/api/v1{URL}results/{again[0]['id']}/").json()
    assert "moved_from" not in earlier
    assert "left_behind" not in earlier


def get_result_page(client, article, kind, name="Alpha"):
    result = Result.objects.get(article=article, kind=kind, producer__queue__server__name=name, superseded=None)
    return client.get(f"{LIST}{result.pk}/").content.decode()


def test_it_marks_what_was_said_in_the_text(client, article):
    page = get_result_page(client, article, "mention", "Beta")
    content = page.partition('class="result-content"')[2].partition("</div>")[0]
    assert re.findall(r">([^<>]+)</a>", content) == ["CDH1", "E-cadherin", "CDH1", "E-cadherin"]
    assert f'href="{URL}?kind=mention&amp;mention=8-12#mention"' in content
    # The reply is there for who wants to read it.
    assert "<details><summary>Show the reply" in page


def test_it_leads_to_the_whole_of_a_mention_in_parts(client, article):
    producer = Result.objects.get(kind="mention", producer__queue__server__name="Beta", superseded=None).producer
    parts = [Span(0, 4), Span(8, 12)]
    store_results_superseding_earlier(
        article, producer, {Kind.MENTION: [make_mention(parts, get_text_of_parts(article.text, parts))]}
    )
    assert "mention=0-4.8-12#mention" in get_result_page(client, article, "mention", "Beta")


def test_it_lists_what_has_no_place_in_the_text(client, article):
    page = get_result_page(client, article, "normalization")
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.partition('id="content"')[2].partition("Provenance")[0]))
    assert "P12830 uniprot 0.9" in words
    assert "Rank" not in words


def test_it_says_that_nothing_was_found(client, article):
    queue = contents.get_or_create_queue_and_producer(
        article.results.get(kind="mention", producer__queue__server__name="Gamma").producer.queue.server, QueueMode.LIVE
    )
    store_results_superseding_earlier(article, queue.producer, {Kind.MENTION: []})
    assert "No annotations." in get_result_page(client, article, "mention", "Gamma")


def test_it_says_why_a_result_counts_as_empty(client, article):
    producer = Result.objects.get(kind="mention", producer__queue__server__name="Gamma", superseded=None).producer
    store_results_superseding_earlier(article, producer, {Kind.MENTION: []}, empty_reason="no-answer")
    assert "No annotations: counted as empty (no-answer)." in get_result_page(client, article, "mention", "Gamma")


def test_it_marks_an_older_text_and_lists_mentions_of_one_that_is_not_kept(client, article):
    Result.objects.filter(article=article, kind="mention").update(text_version=2)
    Article.objects.update(text_version=3)
    article.older_texts.create(text_version=2, passages=article.passages)
    page = get_result_page(client, article, "mention")
    assert f'href="{URL}?kind=mention&amp;text=2&amp;mention=8-12#mention"' in page
    article.older_texts.all().delete()
    page = get_result_page(client, article, "mention")
    assert 'class="result-content"' not in page
    assert "8-12" in page
