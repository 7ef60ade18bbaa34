"""Answers with a slightly different text: from the answer of a live server to what is stored and shown."""

import pytest

from annotations.articles.imports.article_storage import store_annotated_articles
from annotations.articles.models import Article
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle, TextPassage
from annotations.results.changed_texts.moving import move_annotations_of_replaced_texts
from annotations.results.models import CARRIED_TEXT, Result
from annotations.schema import Kind
from servers.calls import loop
from servers.calls.models import Attempt, Queue
from servers.calls.queues import contents
from servers.calls.queues.contents import exclude_asked_queues
from servers.calls.states import Outcome, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.review.states import ReviewState
from tests.integration.article_cast import read_page_words
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db(transaction=True)

TITLE = "BRCA1 and breast cancer"
ABSTRACT = "We found that ERK 2 phosphorylates p53 in cells of mice. It is not clear whether ERK1 does so, too."
TEXT = f"{TITLE}\n{ABSTRACT}"
URL = "/articles/60000001/"
CHANGED = TEXT.replace("\n", "\n\n").replace(" p53", " (p54)")
WORDS = ("BRCA1", "ERK1")


def denote(words):
    start = CHANGED.index(words)
    return {"span": {"begin": start, "end": start + len(words)}, "obj": "Gene"}


@pytest.fixture
def article():
    passages = (TextPassage("title", TITLE), TextPassage("abstract", ABSTRACT))
    (article,) = store_annotated_articles([ParsedArticle(ArticleIds(60000001), passages)]).articles
    return article


def answer_call(server, article, words, text=CHANGED):
    """The result of a server whose PubAnnotation answer, sent as often as it is asked, has these mentions."""
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    document = {"text": text, "denotations": [denote(each) for each in words]}
    with TaskServer(lambda asked: (200, {}, document)) as there:
        Server.objects.filter(pk=server.pk).update(
            url=there.url, kinds=["mention"], protocol="pubannotation", method="POST", review=ReviewState.ACCEPTED
        )
        server.refresh_from_db()
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        for _ in range(5):
            queue.calls.update(due="2001-01-01T00:00:00Z")
            loop.run_slices_if_slot_and_lease_free(server.pk)
    return Result.objects.get(superseded=None, kind=Kind.MENTION)


def test_mentions_are_stored_at_the_same_words_and_marked(server, article, client):
    result = answer_call(server, article, WORDS)
    assert Attempt.objects.get().outcome == Outcome.ANSWERED
    assert "differs slightly" in Attempt.objects.get().message
    mentions = [(each.start, each.text) for each in result.annotations.order_by("start")]
    assert mentions == [(TEXT.index(words), words) for words in WORDS]
    assert (result.moved_from, result.not_movable, result.came_with_text) == (CARRIED_TEXT, 0, True)
    # It is an answer to this text, so the server is not asked again.
    assert not exclude_asked_queues(Queue.objects.all(), article).exists()
    assert "moved from the text in the answer" in read_page_words(client.get(URL))
    words = read_page_words(client.get(f"{URL}results/{result.pk}/"))
    assert "came with a slightly different text and were moved to the same words of version 1." in words
    assert "could not be moved" not in words
    (shown,) = client.get(f"/api/v1{URL}annotations/").json()["results"]
    assert (shown["moved_from"], shown["not_movable"]) == (0, 0)


def test_the_rest_is_kept_and_what_could_not_be_moved_is_listed(server, article, client):
    result = answer_call(server, article, [*WORDS, "p54"])
    attempt = Attempt.objects.earliest("pk")
    assert attempt.outcome == Outcome.INVALID
    assert [(rule["code"], rule["where"]) for rule in attempt.broken_rules] == [("R211", "denotations[2]")]
    assert sorted(each.text for each in result.annotations.all()) == sorted(WORDS)
    assert (result.moved_from, result.not_movable) == (CARRIED_TEXT, 1)
    words = read_page_words(client.get(f"{URL}results/{result.pk}/"))
    assert "1 could not be moved" in words
    assert "R211 denotations[2]" in words


def test_the_same_text_is_not_marked(server, article):
    result = answer_call(server, article, ["BRCA1"], TEXT)
    assert (result.moved_from, result.not_movable) == (None, None)


def test_moved_annotations_move_again_with_the_text_of_the_article(server, article, client):
    answer_call(server, article, [*WORDS, "p54"])
    passages = (TextPassage("title", TITLE), TextPassage("abstract", ABSTRACT.replace("ERK1", "this kinase")))
    store_annotated_articles([ParsedArticle(ArticleIds(60000001), passages)])
    move_annotations_of_replaced_texts()
    result = Result.objects.get(superseded=None, kind=Kind.MENTION)
    # The mention that never was on a version of the text is not among those that one left behind.
    assert (result.moved_from, result.not_movable, result.text_version) == (1, 1, 2)
    assert exclude_asked_queues(Queue.objects.all(), Article.objects.get()).exists()
    detail = client.get(f"/api/v1{URL}results/{result.pk}/").json()
    assert [each["text"] for each in detail["left_behind"]] == ["ERK1"]
