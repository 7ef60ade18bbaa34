"""The version of an article increases with every change, also while many servers answer for it at the same time."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Event

import pytest
from django.db import connection, transaction

from annotations.articles import versions
from annotations.articles.imports.citation_import import import_citations_batch_by_batch
from annotations.articles.models import Article, ArticleChange, OlderText
from annotations.articles.versions import annotate_version, count_changes_returning_whether_more_remain
from annotations.formats.articles.parsed_article import TextPassage
from annotations.formats.pubmed.reader import Citation
from annotations.identifiers.reported_identifiers import raise_article_or_private_producer_versions
from annotations.results import article_summaries
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.models import ArticleSummary, Producer, Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from tests.integration.article_cast import gene, make_read_article, read_version

FOUND = {Kind.NORMALIZATION: [gene("P12830")]}
SECONDS_UNTIL_HUNG = 30


@pytest.fixture
def article(db):
    return make_read_article()


def make_producer(name="S", public=True):
    return Producer.objects.create(name=name, sort=Producer.Type.SERVER, public=public)


@contextmanager
def run_in_thread(work) -> Iterator[object]:
    """The work of another worker, which is over at the end, with its error if it has one."""

    def run():
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run)
        yield future
        future.result(SECONDS_UNTIL_HUNG)


@contextmanager
def storing_answer(article, producer):
    """Another worker has stored an answer and commits it at the end."""
    stored, over = Event(), Event()

    def store():
        with transaction.atomic():
            store_results_superseding_earlier(article, producer, FOUND)
            stored.set()
            assert over.wait(SECONDS_UNTIL_HUNG)

    with run_in_thread(store):
        assert stored.wait(SECONDS_UNTIL_HUNG)
        try:
            yield
        finally:
            over.set()


def wait_until_somebody_waits_for_lock():
    until = time.monotonic() + SECONDS_UNTIL_HUNG
    with connection.cursor() as cursor:
        while time.monotonic() < until:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            )
            if cursor.fetchone()[0]:
                return
            time.sleep(0.02)
    raise AssertionError("nobody waits")


def limit_waits_for_locks():
    """Until the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '5s'")


def test_every_answer_raises_it(article):
    before = read_version(article)
    for number in range(3):
        store_results_superseding_earlier(article, make_producer(f"S{number}"), FOUND)
    assert read_version(article) == before + 3


def test_what_is_not_public_does_not(article):
    before = read_version(article)
    store_results_superseding_earlier(article, make_producer(public=False), FOUND)
    assert read_version(article) == before


def test_counting_changes_leaves_it(article):
    for number in range(3):
        store_results_superseding_earlier(article, make_producer(f"S{number}"), FOUND)
    before, counted = read_version(article), Article.objects.get().counted_version
    assert not count_changes_returning_whether_more_remain()
    assert not ArticleChange.objects.exists()
    assert read_version(article) == before == Article.objects.get().counted_version == counted + 3


def test_changes_go_with_their_article(article):
    ArticleChange.objects.create(article=article)
    article.delete()
    assert not ArticleChange.objects.exists()


def test_a_change_of_an_article_that_is_deleted_meanwhile_goes_when_changes_are_counted(article):
    ArticleChange.objects.create(article_id=article.pk + 1)
    ArticleChange.objects.create(article=article)
    count_changes_returning_whether_more_remain()
    assert not ArticleChange.objects.exists()


def test_all_changes_are_counted_in_batches(article, monkeypatch):
    monkeypatch.setattr(versions, "MOST_CHANGES", 3)
    ArticleChange.objects.bulk_create(ArticleChange(article=article) for _ in range(7))
    update_summaries_returning_whether_more_remain()
    assert not ArticleChange.objects.exists()
    assert Article.objects.get().counted_version == 8 == ArticleSummary.objects.get().version


def test_summaries_are_refreshed_while_answers_keep_coming(article, monkeypatch):
    calls = []

    def count_while_one_more_comes():
        calls.append(count_changes_returning_whether_more_remain())
        assert len(calls) < 9, "it counts what comes for ever"
        ArticleChange.objects.create(article=article)
        return calls[-1]

    ArticleChange.objects.create(article=article)
    monkeypatch.setattr(article_summaries, "count_changes_returning_whether_more_remain", count_while_one_more_comes)
    assert not update_summaries_returning_whether_more_remain()
    assert ArticleSummary.objects.get().version == 2


def test_a_list_of_articles_has_the_version_of_each(article):
    other = Article.objects.create(pmid=2, passages=[], text="", content_hash="3" * 64)
    store_results_superseding_earlier(article, make_producer(), FOUND)
    versions = dict(annotate_version(Article.objects).values_list("pk", "version"))
    assert versions == {article.pk: 2, other.pk: 1}


@pytest.mark.django_db(transaction=True)
class TestAtTheSameTime:
    """Real transactions side by side."""

    def test_answers_do_not_wait_for_one_another(self, article):
        before = read_version(article)
        first, second = make_producer("S1"), make_producer("S2")
        with storing_answer(article, first):
            with transaction.atomic():
                limit_waits_for_locks()
                store_results_superseding_earlier(article, second, FOUND)
            assert read_version(article) == before + 1
        assert read_version(article) == before + 2

    def test_counting_does_not_wait_for_them_either_and_counts_them_later(self, article):
        first, second = make_producer("S1"), make_producer("S2")
        store_results_superseding_earlier(article, first, FOUND)
        with storing_answer(article, second):
            count_changes_returning_whether_more_remain()
            assert ArticleChange.objects.count() == 1
            assert read_version(article) == 2
        count_changes_returning_whether_more_remain()
        assert not ArticleChange.objects.exists()
        assert read_version(article) == 3

    def test_counting_does_not_wait_for_the_deletion_of_an_article_which_would_wait_for_it(self, article):
        ArticleChange.objects.create(article=article)
        deleted, over = Event(), Event()

        def delete():
            with transaction.atomic():
                # In this order Django deletes an article.
                ArticleChange.objects.all().delete()
                deleted.set()
                assert over.wait(SECONDS_UNTIL_HUNG)
                Article.objects.all().delete()

        with run_in_thread(delete):
            assert deleted.wait(SECONDS_UNTIL_HUNG)
            try:
                with transaction.atomic():
                    limit_waits_for_locks()
                    count_changes_returning_whether_more_remain()
                assert Article.objects.get().counted_version == 1
            finally:
                over.set()
        assert not Article.objects.exists()

    def test_another_name_of_an_entry_raises_it_while_an_answer_that_is_not_public_is_stored(self, article):
        store_results_superseding_earlier(article, make_producer("S1"), FOUND)
        before = read_version(article)
        with storing_answer(article, make_producer("S2", public=False)):
            raise_article_or_private_producer_versions("uniprot", ["P12830"])
        assert read_version(article) == before + 1

    def test_a_text_that_is_being_annotated_is_replaced_afterwards_and_kept(self, article):
        new = Citation(20000001, 1, (TextPassage("title", "Another title"), TextPassage("abstract", "Another text.")))
        producer = make_producer()
        with ExitStack() as import_is_over, storing_answer(article, producer):
            imported = import_is_over.enter_context(run_in_thread(lambda: import_citations_batch_by_batch([new])))
            wait_until_somebody_waits_for_lock()
            assert not imported.done()
        assert Article.objects.get().text_version == 2
        assert OlderText.objects.get().text_version == Result.objects.get().text_version == 1
