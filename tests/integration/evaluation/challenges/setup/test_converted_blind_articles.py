"""Blind corpora from before there were snapshots: their articles become snapshots, and what is public stays public."""

from importlib import import_module

import pytest
from django.apps import apps

from annotations.articles.models import Article, ArticleRequest, ArticleSnapshot, Corpus, CorpusArticle, OlderText
from annotations.articles.snapshot_release import iter_moved_relations
from annotations.results.models import Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from evaluation.challenges.models import CorpusOwner, ExcludedArticle
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from servers.calls.models import Call
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from tests.integration.evaluation_cast import make_corpus, make_server, species

pytestmark = pytest.mark.django_db
migration = import_module("evaluation.migrations.0006_blind_articles_become_snapshots")


@pytest.fixture
def phase(challenge):
    """A test phase as it was stored before: its articles are rows with PMIDs."""
    corpus = make_corpus("blind", (201, 202))
    Corpus.objects.filter(pk=corpus.pk).update(blind=True)
    corpus.refresh_from_db()
    Article.objects.filter(pmid=201).update(journal="J", year=1999, metadata={"volume": "1"}, pmcid="PMC201")
    return creation.create_phase_claiming_blind_corpus(challenge, "development", corpus)


def convert():
    migration.take_snapshots(apps, None)


def test_a_row_becomes_the_snapshot_with_its_opaque_id(phase):
    before = Article.objects.get(pmid=201)
    ArticleRequest.objects.create(ident="201", article=before)
    convert()
    after = Article.objects.get(pk=before.pk)
    assert (after.opaque, after.text, after.blind, after.pmid, after.doi) == (
        before.opaque,
        before.text,
        True,
        None,
        "",
    )
    snapshot = after.snapshot
    assert (snapshot.corpus, snapshot.pmid, snapshot.doi, snapshot.pmcid) == (
        phase.corpus,
        201,
        "10.1000/201",
        "PMC201",
    )
    assert (snapshot.journal, snapshot.year, snapshot.metadata) == ("J", 1999, {"volume": "1"})
    assert not Article.objects.filter(pmid__in=(201, 202)).exists()
    assert ArticleRequest.objects.get().article is None
    assert ArticleSnapshot.objects.count() == 2


def test_what_is_public_of_an_article_stays_with_a_public_row(phase, team):
    article = Article.objects.get(pmid=201)
    reading = Corpus.objects.create(slug="reading", name="Reading")
    CorpusArticle.objects.create(corpus=reading, article=article, position=1)
    OlderText.objects.create(article=article, text_version=0, passages=[{"type": "title", "text": "Old"}])
    server = make_server(team, "reader")
    live = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(live, [article.pk])
    store_results_superseding_earlier(article, live.producer, {Kind.TAXON: species("7227")})
    (run,) = [each for each in enter_eligible_server_and_enqueue_articles(server, phase) if each.task.name == "TX"]
    store_results_superseding_earlier(article, run.producer, {Kind.TAXON: species("9606")})
    ExcludedArticle.objects.create(phase=phase, article=article, reason="")
    convert()
    public, snapshot = Article.objects.get(pmid=201), Article.objects.get(pk=article.pk)
    assert (public.doi, public.journal, public.text, public.blind) == ("10.1000/201", "J", article.text, False)
    assert public.opaque != snapshot.opaque == article.opaque
    assert (list(public.corpora.all()), list(snapshot.corpora.all())) == ([reading], [phase.corpus])
    assert [
        list(Result.objects.filter(article=each).values_list("producer", flat=True)) for each in (public, snapshot)
    ] == [
        [live.producer_id],
        [run.producer_id],
    ]
    assert [
        list(Call.objects.filter(article=each).values_list("queue__mode", flat=True)) for each in (public, snapshot)
    ] == [
        ["live"],
        ["training"],
    ]
    assert phase.excluded.get().article == snapshot
    assert [each.older_texts.count() for each in (public, snapshot)] == [1, 1]
    assert not Article.objects.filter(pmid=202).exists()


def test_an_article_in_tests_of_two_challenges_has_a_snapshot_in_each(phase, olga):
    article = Article.objects.get(pmid=201)
    other = Corpus.objects.create(slug="other", name="Other", blind=True)
    CorpusOwner.objects.create(corpus=other, challenge=creation.create_challenge("Two", "two", "", olga))
    CorpusArticle.objects.create(corpus=other, article=article, position=1)
    convert()
    assert phase.corpus.articles.get(snapshot__pmid=201) == article
    copied = other.articles.get()
    assert (copied.snapshot.pmid, copied.snapshot.corpus, copied.blind) == (201, other, True)
    assert not Article.objects.get(pmid=201).blind
    assert len(set(Article.objects.filter(text=article.text).values_list("opaque", flat=True))) == 3


# Tables that came after the conversion, so that no row of theirs was about an article that it converts.
LATER_MODELS = {("annotations", name) for name in ("CandidateList", "Curation", "Manuscript", "PublishedAbstract")}


def test_it_knows_all_that_refers_to_articles(phase):
    known = {*migration.CORPUS_PATHS, *migration.OF_PUBLIC_ARTICLE, *LATER_MODELS}
    assert {
        (each.related_model._meta.app_label, each.related_model.__name__) for each in iter_moved_relations()
    } <= known
