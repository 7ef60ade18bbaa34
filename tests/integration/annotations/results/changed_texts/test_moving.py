"""Annotations follow the text of their article when it changes slightly; the others stay with the earlier text."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connection

from annotations.articles.imports.citation_import import import_citations_batch_by_batch
from annotations.articles.models import Article, OlderText
from annotations.articles.text_versions import get_unsaved_copy_with_older_text
from annotations.formats.articles.parsed_article import TextPassage
from annotations.formats.pubmed.reader import Citation
from annotations.results.changed_texts import moving
from annotations.results.models import Producer, Result
from annotations.results.queries import (
    list_current_results_on_current_text,
    list_last_even_superseded_results_on_text,
    load_annotations_by_result_id,
)
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind, Span, make_label, make_mention
from annotations.tasks import move_annotations_of_replaced_texts_requeueing_unless_busy
from servers.calls.models import Queue
from servers.calls.queues import contents
from servers.calls.queues.contents import exclude_asked_queues
from servers.calls.states import QueueMode

pytestmark = pytest.mark.django_db
REST = "Its loss is known to make tumours of the stomach spread, and its return to stop them, in mice as in humans."


def make_citation(title, abstract):
    return Citation(16054130, 1, (TextPassage("title", title), TextPassage("abstract", abstract)))


TITLE = "Loss of CDH1 and TP53 in cancer of the stomach"
FIRST = make_citation(TITLE, f"We found E-cadherin in teh cells of most of the mice. {REST}")
SECOND = make_citation(TITLE, f"We found that E-cadherin is in the cells of mice. {REST}")
THIRD = make_citation(TITLE, f"We saw that E-cadherin is in the cells of these. {REST}")
OTHER = make_citation("Erratum", "This was retracted.")
MENTIONS = {
    "CDH1": make_mention([Span(8, 12)], "CDH1", "Gene", confidence=0.9),
    "E-cadherin": make_mention([Span(56, 66)], "E-cadherin", "Gene"),
    "teh": make_mention([Span(70, 73)], "teh", "Word"),
}
FOUND = {Kind.MENTION: list(MENTIONS.values()), Kind.LABEL: [make_label("topic", "cancer")]}


@pytest.fixture
def producer(db):
    return Producer.objects.create(sort=Producer.Type.SERVER, name="a server", public=True)


@pytest.fixture
def article(producer):
    import_citations_batch_by_batch([FIRST])
    article = Article.objects.get()
    for name, mention in MENTIONS.items():
        assert article.text[mention.start : mention.end] == name
    store_results_superseding_earlier(article, producer, FOUND, call_id=7, duration_seconds=1.5, stated_version="2.1")
    return article


def change_text(citation):
    import_citations_batch_by_batch([citation])
    assert move_annotations_of_replaced_texts_requeueing_unless_busy() == "done"
    return Article.objects.get()


def load_current(article, producer):
    results = {each.kind: each for each in list_current_results_on_current_text(article, [producer.pk])}
    annotations = load_annotations_by_result_id(results.values())
    return {kind: (result, annotations.get(result.id, [])) for kind, result in results.items()}


def test_they_have_the_positions_of_the_new_text(article, producer):
    before = Result.objects.get(kind=Kind.MENTION)
    changed = change_text(SECOND)
    assert changed.counted_version > article.counted_version + 1
    current = load_current(changed, producer)
    result, mentions = current[Kind.MENTION]
    assert [(each.text, each.type, each.confidence) for each in mentions] == [
        ("CDH1", "Gene", 0.9),
        ("E-cadherin", "Gene", None),
    ]
    assert all(changed.text[each.start : each.end] == each.text for each in mentions)
    assert (result.moved_from, result.not_movable) == (1, 1)
    assert (result.id, result.received, result.duration, result.stated_version) == (
        before.pk,
        before.received,
        1.5,
        "2.1",
    )
    result, labels = current[Kind.LABEL]
    assert (labels, result.moved_from, result.not_movable) == (FOUND[Kind.LABEL], 1, 0)
    assert Result.objects.get(pk=before.pk).call == 7


def test_the_earlier_text_keeps_what_was_on_it(article, producer):
    change_text(SECOND)
    earlier = get_unsaved_copy_with_older_text(Article.objects.get(), 1)
    results = list_last_even_superseded_results_on_text(earlier, [producer.pk])
    annotations = load_annotations_by_result_id(results)
    assert {each.kind: annotations[each.id] for each in results} == FOUND
    assert not Result.objects.filter(text_version=1, superseded__isnull=True).exists()


def test_what_could_not_be_moved_is_listed(article, producer):
    changed = change_text(SECOND)
    result = Result.objects.get(kind=Kind.MENTION, superseded__isnull=True)
    assert moving.list_not_movable_annotations(result, changed) == [MENTIONS["teh"]]
    label = Result.objects.get(kind=Kind.LABEL, superseded__isnull=True)
    assert moving.list_not_movable_annotations(label, changed) == ()


def test_they_move_again_and_remember_the_first_text(article, producer):
    change_text(SECOND)
    result, mentions = load_current(change_text(THIRD), producer)[Kind.MENTION]
    assert [each.text for each in mentions] == ["CDH1", "E-cadherin"]
    assert (result.text_version, result.moved_from, result.not_movable) == (3, 1, 1)


def test_nothing_moves_to_another_text(article, producer):
    assert load_current(change_text(OTHER), producer) == {}
    assert set(Result.objects.values_list("text_version", "superseded", "moved_from")) == {(1, None, None)}
    assert not OlderText.objects.filter(unmoved=True).exists()


def test_what_arrives_later_for_the_earlier_text_is_moved_too(article, producer):
    change_text(SECOND)
    late = Producer.objects.create(sort=Producer.Type.SERVER, name="late")
    store_results_superseding_earlier(article, late, {Kind.MENTION: [MENTIONS["CDH1"]]})
    moving.move_annotations_of_replaced_texts()
    assert [each.text for each in load_current(Article.objects.get(), late)[Kind.MENTION][1]] == ["CDH1"]


def test_a_new_answer_supersedes_what_was_moved(article, producer):
    changed = change_text(SECOND)
    store_results_superseding_earlier(changed, producer, {Kind.MENTION: []})
    result, mentions = load_current(changed, producer)[Kind.MENTION]
    assert (mentions, result.moved_from, result.not_movable) == ([], None, None)


def test_a_server_is_asked_again_about_a_changed_text(server):
    import_citations_batch_by_batch([FIRST])
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    store_results_superseding_earlier(Article.objects.get(), queue.producer, FOUND)
    assert not exclude_asked_queues(Queue.objects.all(), Article.objects.get()).exists()
    changed = change_text(SECOND)
    assert load_current(changed, queue.producer)
    assert exclude_asked_queues(Queue.objects.all(), changed).get() == queue


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_is_stored_at_the_same_time_supersedes_them(article, producer, monkeypatch):
    import_citations_batch_by_batch([SECOND])
    changed, moved, move_results = Article.objects.get(), Event(), moving._move_results

    def store_answer():
        try:
            assert moved.wait(10)
            store_results_superseding_earlier(changed, producer, {Kind.MENTION: []})
        finally:
            connection.close()

    def move_while_an_answer_waits(*given):
        move_results(*given)
        moved.set()
        # It waits for the row of the moved Result.
        with pytest.raises(TimeoutError):
            answering.result(0.5)

    monkeypatch.setattr(moving, "_move_results", move_while_an_answer_waits)
    with ThreadPoolExecutor() as pool:
        answering = pool.submit(store_answer)
        moving.move_annotations_of_replaced_texts()
        answering.result(10)
    assert load_current(changed, producer)[Kind.MENTION][1] == []
