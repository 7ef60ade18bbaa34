"""Articles in: twice changes nothing, a changed text keeps earlier Results, what came whole before a fault is kept."""

from dataclasses import replace
from threading import Barrier

import psycopg2
import psycopg2.errors
import pytest
from django.db import OperationalError, connection, transaction

from annotations.articles.imports import citation_import, citation_storage
from annotations.articles.imports.citation_import import (
    BATCH,
    ImportStoppedError,
    import_citation_file,
    import_citations_batch_by_batch,
    import_citations_in_parallel_batches,
)
from annotations.articles.imports.citation_storage import ImportCounts
from annotations.articles.models import Article, Corpus, CorpusArticle, OlderText
from annotations.articles.text_versions import get_unsaved_copy_with_older_text
from annotations.formats.articles.parsed_article import TextPassage
from annotations.formats.errors import FormatError
from annotations.formats.pubmed.reader import Citation, Deletion
from annotations.results.models import Producer, Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from tests.integration.article_cast import read_version

PASSAGES = (TextPassage("title", "Loss of CDH1"), TextPassage("abstract", "E-cadherin binds\n β-catenin. "))
CITATION = Citation(
    16054130,
    1,
    PASSAGES,
    doi="10.1000/x",
    pmcid="PMC7",
    journal="J Ex",
    year=1979,
    volume="50",
    authors=("McCulloch B",),
    languages=("eng",),
    mesh=("Humans",),
)
REWRITTEN = replace(CITATION, passages=(PASSAGES[0], TextPassage("abstract", "Corrected.")))

pytestmark = pytest.mark.django_db


def make_titled_citation(pmid, title="A title", version=1):
    return Citation(pmid, version, (TextPassage("title", title),))


def get_stored_article():
    return Article.objects.get(pmid=CITATION.pmid)


def test_it_stores_a_citation_as_it_came():
    assert import_citations_batch_by_batch([CITATION]) == ImportCounts(new=1)
    article = get_stored_article()
    assert article.text == "Loss of CDH1\nE-cadherin binds\n β-catenin. "
    assert (article.title, article.abstract) == (PASSAGES[0].text, PASSAGES[1].text)
    assert (article.doi, article.pmcid, article.journal, article.year) == ("10.1000/x", "PMC7", "J Ex", 1979)
    assert article.metadata["authors"] == ["McCulloch B"]
    assert article.metadata["mesh"] == ["Humans"]
    assert article.metadata["volume"] == "50"
    assert (article.counted_version, article.text_version) == (1, 1)
    assert article.opaque.startswith("B")


def test_it_changes_nothing_when_the_same_comes_again():
    import_citations_batch_by_batch([CITATION])
    before = Article.objects.values().get()
    assert import_citations_batch_by_batch([CITATION]) == ImportCounts(unchanged=1)
    assert Article.objects.values().get() == before


def test_it_raises_the_text_version_and_keeps_earlier_results(alice):
    import_citations_batch_by_batch([CITATION])
    producer = Producer.objects.create(sort=Producer.Type.CURATOR, name="Curt", public=True)
    store_results_superseding_earlier(get_stored_article(), producer, {Kind.MENTION: []})
    assert import_citations_batch_by_batch([REWRITTEN]) == ImportCounts(changed=1)
    article = get_stored_article()
    assert article.abstract == "Corrected."
    assert (article.text_version, read_version(article)) == (2, 3)
    assert Result.objects.values_list("text_version", "superseded").get() == (1, None)
    older = OlderText.objects.get(article=article)
    assert (older.text_version, [passage["text"] for passage in older.passages]) == (1, [own.text for own in PASSAGES])


def test_it_keeps_no_older_text_that_nobody_annotated():
    import_citations_batch_by_batch([CITATION])
    import_citations_batch_by_batch([REWRITTEN])
    assert not OlderText.objects.exists()


def test_it_keeps_the_text_of_an_answer_that_comes_late():
    import_citations_batch_by_batch([CITATION])
    asked = get_stored_article()
    import_citations_batch_by_batch([REWRITTEN])
    store_results_superseding_earlier(
        asked, Producer.objects.create(sort=Producer.Type.SERVER, name="Late"), {Kind.MENTION: []}
    )
    assert get_unsaved_copy_with_older_text(get_stored_article(), 1).text == asked.text


def test_it_raises_only_the_page_version_when_only_the_record_changes():
    import_citations_batch_by_batch([CITATION])
    import_citations_batch_by_batch([replace(CITATION, mesh=("Humans", "Mice"))])
    article = get_stored_article()
    assert article.metadata["mesh"] == ["Humans", "Mice"]
    assert (article.text_version, article.counted_version) == (1, 2)


def test_it_keeps_the_opaque_identifier_for_ever():
    import_citations_batch_by_batch([CITATION])
    before = get_stored_article().opaque
    import_citations_batch_by_batch([REWRITTEN])
    assert get_stored_article().opaque == before


@pytest.mark.parametrize("name", [{"doi": "10.1000/X"}, {"pmcid": "PMC7"}, {"doi": "10.1000/x", "pmcid": "PMC7"}])
def test_it_knows_an_article_that_came_without_its_pmid(name):
    came = Article.objects.create(passages=[{"type": "title", "text": "Loss"}], text="Loss", **name)
    other = Article.objects.create(passages=[{"type": "title", "text": "Other"}], text="Other", doi="10.1000/y")
    assert import_citations_batch_by_batch([CITATION, make_titled_citation(6)]) == ImportCounts(new=1, changed=1)
    assert (get_stored_article().pk, get_stored_article().text) == (came.pk, "\n".join(own.text for own in PASSAGES))
    assert import_citations_batch_by_batch([CITATION, replace(CITATION, pmid=7)]) == ImportCounts(unchanged=1, new=1)
    assert Article.objects.get(pmid=None) == other


def test_it_gives_a_pmid_to_one_article_alone():
    for name in ({"doi": "10.1000/x"}, {"pmcid": "PMC7"}):
        Article.objects.create(passages=[{"type": "title", "text": "Loss"}], text="Loss", **name)
    assert import_citations_batch_by_batch([CITATION, replace(CITATION, pmid=7)]).stored == 2
    assert Article.objects.exclude(pmid=None).count() == 2


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2), (3, 2, 1)])
@pytest.mark.parametrize("apart", [True, False])
def test_it_lets_the_newest_version_of_a_record_win(order, apart):
    records = [make_titled_citation(5, f"version {version}", version) for version in order]
    for batch in [[record] for record in records] if apart else [records]:
        import_citations_batch_by_batch(batch)
    assert Article.objects.get(pmid=5).text == "version 3"


def test_it_updates_an_article_that_somebody_else_stores_meanwhile(monkeypatch):
    import_citations_batch_by_batch([CITATION])
    article = get_stored_article()
    producer = Producer.objects.create(sort=Producer.Type.CURATOR, name="Curt", public=True)
    store_results_superseding_earlier(article, producer, {Kind.MENTION: []})
    # The article is not seen, as before another transaction commits.
    monkeypatch.setattr(citation_storage, "KNOWN_PMIDS", "SELECT 0 WHERE 0 = ANY(%s)")
    assert import_citations_batch_by_batch([REWRITTEN, make_titled_citation(6)]) == ImportCounts(new=1, changed=1)
    assert (get_stored_article().abstract, get_stored_article().text_version) == ("Corrected.", 2)
    assert get_unsaved_copy_with_older_text(get_stored_article(), 1).text == article.text


def test_it_stores_an_article_that_somebody_else_deletes_meanwhile(monkeypatch):
    # The article is still seen, as before another transaction commits.
    monkeypatch.setattr(citation_storage, "KNOWN_PMIDS", "SELECT unnest(%s::bigint[])")
    assert import_citations_batch_by_batch([CITATION]) == ImportCounts(new=1)
    assert get_stored_article().text_version == 1


def test_it_counts_records_that_come_again_in_one_import():
    counts = import_citations_batch_by_batch(
        [make_titled_citation(5), make_titled_citation(6), make_titled_citation(5, "newer", 2)]
    )
    assert counts == ImportCounts(new=2, repeated=1)


def test_it_deletes_a_withdrawn_article_that_nothing_refers_to():
    import_citations_batch_by_batch([CITATION, make_titled_citation(6)])
    assert import_citations_batch_by_batch([Deletion(CITATION.pmid, 1), Deletion(99, 1)]) == ImportCounts(deleted=1)
    assert list(Article.objects.values_list("pmid", flat=True)) == [6]


def test_it_keeps_a_withdrawn_article_that_something_refers_to():
    import_citations_batch_by_batch([CITATION])
    corpus = Corpus.objects.create(slug="c", name="C")
    CorpusArticle.objects.create(corpus=corpus, article=get_stored_article(), position=1)
    for _ in range(2):
        assert import_citations_batch_by_batch([Deletion(CITATION.pmid, 1)]) == ImportCounts(kept=1)
        assert get_stored_article().metadata["withdrawn"] is True
        assert get_stored_article().counted_version == 2


def test_it_ignores_the_withdrawal_of_an_older_version():
    import_citations_batch_by_batch([replace(CITATION, version=2)])
    assert import_citations_batch_by_batch([Deletion(CITATION.pmid, 1)]) == ImportCounts()
    assert get_stored_article().counted_version == 1


def test_it_stores_nothing_of_a_record_withdrawn_in_the_same_batch():
    assert import_citations_batch_by_batch([make_titled_citation(5), Deletion(5, 1)]) == ImportCounts(repeated=1)
    assert not Article.objects.exists()


@pytest.fixture
def small(monkeypatch):
    """Batches of two records."""
    monkeypatch.setattr(citation_import, "BATCH", 2)


@pytest.mark.django_db(transaction=True)
def test_it_stores_two_batches_at_once_and_tells_of_them_in_their_order(small, monkeypatch):
    both, store, noted, told = Barrier(2), citation_import.store_citations_and_apply_deletions, [], []

    def together(rows, deletions):
        # The fifth record is a batch of its own.
        if len(rows) == 2:
            both.wait(60)
        return store(rows, deletions)

    monkeypatch.setattr(citation_import, "store_citations_and_apply_deletions", together)
    counts = import_citations_in_parallel_batches(
        (make_titled_citation(n) for n in range(1, 6)), told.append, noted.append
    )
    assert counts == ImportCounts(new=5)
    assert [own.stored for own in told] == [2, 4, 5]
    assert noted == [2, 2, 1]
    assert Article.objects.count() == 5


@pytest.mark.django_db(transaction=True)
def test_it_keeps_the_order_of_what_comes_again(small):
    records = [
        make_titled_citation(1),
        make_titled_citation(2),
        make_titled_citation(3),
        make_titled_citation(2, "newer"),
        Deletion(3, 1),
        make_titled_citation(1, "newest"),
    ]
    assert import_citations_in_parallel_batches(records) == ImportCounts(new=3, changed=2, repeated=3, deleted=1)
    assert dict(Article.objects.values_list("pmid", "text")) == {1: "newest", 2: "newer"}


@pytest.mark.django_db(transaction=True)
def test_it_keeps_what_came_whole_when_a_file_breaks(small):
    def broken():
        yield from (make_titled_citation(n) for n in range(1, 6))
        raise FormatError("a.xml.gz", 0, 0, "R401", "the gzip archive is cut off - fetch the file again")

    noted = []
    with pytest.raises(ImportStoppedError, match=r"Citations stored before that: 5\."):
        import_citations_in_parallel_batches(broken(), on_batch_stored=noted.append)
    assert noted == [2, 2, 1]
    assert Article.objects.count() == 5


@pytest.mark.django_db(transaction=True)
def test_it_notes_nothing_behind_a_batch_that_the_database_refused(small, monkeypatch):
    store, noted = citation_import.store_citations_and_apply_deletions, []

    def refusing(rows, deletions):
        if rows[0].pmid == 3:
            raise OperationalError("the database is shutting down")
        return store(rows, deletions)

    monkeypatch.setattr(citation_import, "store_citations_and_apply_deletions", refusing)
    with pytest.raises(ImportStoppedError, match="The database does not respond") as caught:
        import_citations_in_parallel_batches(
            (make_titled_citation(n) for n in range(1, 8)), on_batch_stored=noted.append
        )
    assert (caught.value.counts, noted) == (ImportCounts(new=2), [2])
    monkeypatch.undo()
    assert (
        import_citations_in_parallel_batches(make_titled_citation(n) for n in range(1, 8)).stored
        == Article.objects.count()
        == 7
    )


def test_it_stores_in_the_transaction_of_its_caller(small):
    with transaction.atomic():
        assert import_citations_in_parallel_batches(make_titled_citation(n) for n in range(1, 6)) == ImportCounts(new=5)
        transaction.set_rollback(True)
    assert not Article.objects.exists()


def test_it_cuts_a_journal_name_that_is_too_long():
    import_citations_batch_by_batch([replace(CITATION, journal="J" * 300)])
    assert get_stored_article().journal == "J" * 255


def test_it_tells_its_progress_and_needs_few_queries(django_assert_max_num_queries):
    told = []
    with django_assert_max_num_queries(20):
        import_citations_batch_by_batch((make_titled_citation(n) for n in range(1, 2 * BATCH + 2)), told.append)
    assert [counts.stored for counts in told] == [BATCH, 2 * BATCH, 2 * BATCH + 1]


def test_it_keeps_what_came_whole_when_the_source_breaks():
    def broken():
        yield from (make_titled_citation(n) for n in range(1, BATCH + 6))
        raise FormatError("a.xml.gz", 0, 0, "R401", "the gzip archive is cut off - fetch the file again")

    with pytest.raises(ImportStoppedError) as caught:
        import_citations_batch_by_batch(broken())
    assert caught.value.counts == ImportCounts(new=BATCH + 5)
    assert str(caught.value) == (
        "a.xml.gz:0:0: R401 the gzip archive is cut off - fetch the file again. "
        "Citations stored before that: 1,005. You can safely repeat the import."
    )
    assert Article.objects.count() == BATCH + 5
    again = import_citations_batch_by_batch(make_titled_citation(n) for n in range(1, BATCH + 11))
    assert again == ImportCounts(new=5, unchanged=BATCH + 5)


def test_it_imports_a_file(tmp_path):
    path = tmp_path / "one.xml"
    path.write_text(
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><ArticleTitle>T</ArticleTitle>"
        "</Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    )
    assert import_citation_file(path) == ImportCounts(new=1)
    with pytest.raises(FileNotFoundError):
        import_citation_file(tmp_path / "none.xml")


@pytest.mark.django_db(transaction=True)
def test_it_says_that_the_database_went_away():
    def cutting():
        yield from (make_titled_citation(n) for n in range(1, BATCH + 1))
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (own,) = cursor.fetchone()
        settings = connection.get_connection_params()
        other = psycopg2.connect(**{name: settings[name] for name in ("dbname", "user", "password", "host", "port")})
        with other, other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [own])
        other.close()
        yield make_titled_citation(BATCH + 1)

    with pytest.raises(ImportStoppedError, match="The database does not respond") as caught:
        import_citations_batch_by_batch(cutting())
    connection.close()
    assert caught.value.counts.stored == Article.objects.count() == BATCH


def test_it_says_that_the_disk_is_full():
    class DiskFull(psycopg2.errors.DiskFull):
        pgcode = "53100"

    def filling():
        yield make_titled_citation(1)
        raise OperationalError("could not extend file") from DiskFull()

    with pytest.raises(ImportStoppedError, match="The disk of the database is full: free some space"):
        import_citations_batch_by_batch(filling())
