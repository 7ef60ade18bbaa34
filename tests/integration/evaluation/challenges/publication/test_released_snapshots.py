"""What becomes of the snapshots of a blind test when it is published, and of everything that refers to them."""

import pytest
from django.apps import apps
from django.db import models

from annotations.articles import snapshot_release
from annotations.articles.imports.article_storage import store_annotated_articles
from annotations.articles.models import Article, ArticleChange, ArticleSnapshot
from annotations.articles.snapshot_release import UNMOVED_MODELS, iter_moved_relations
from annotations.articles.versions import count_changes_returning_whether_more_remain
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle, TextPassage
from annotations.results.models import Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from evaluation import tasks
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.phases.scored_articles import exclude_article_and_request_rescoring, get_phase_article
from evaluation.challenges.publication import publishing
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.gold.alternatives import AlternativesFile, find_decrypted_alternatives
from evaluation.gold.models import GoldStandard
from evaluation.gold.phase_reader import load_corpus_articles_by_names_except_pmcid
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.uploads.file_check import index_phase_articles_by_allowed_name
from evaluation.scoring.models import Score
from servers.calls.models import Call
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from tests.integration.article_cast import read_version
from tests.integration.evaluation_cast import end, get_article, make_corpus, make_server, species
from tests.integration.mention_cast import ALTERNATIVES, GOLD, make_mention_task

pytestmark = pytest.mark.django_db
TEXT_CHANGED, SAME_TEXT, NOT_HERE = 202, 201, 203


@pytest.fixture
def phase(challenge):
    """A test of three public articles, all of which were public and annotated before."""
    public = make_corpus("reading", (201, 202, 203)).corpusarticle_set
    keys = list(public.order_by("position").values_list("article", flat=True))
    Article.objects.filter(pmid=201).update(journal="J", year=1999, text_version=3)
    corpus = create_challenge_corpus(challenge, "Blind", "blind", "", keys, blind=True)
    public.filter(article__pmid=NOT_HERE).delete()
    phase = creation.create_phase_claiming_blind_corpus(challenge, "test", corpus)
    gold = b"201\t9606\n202\t10090\n203\t10116\n"
    store_gold_sealed_or_open(challenge.tasks.get(name="TX"), phase, gold, "test.tsv")
    return phase


@pytest.fixture
def run(phase, challenge, team):
    """A server that answered the test, scored; it answered one of the articles before, too."""
    server = make_server(team, "reader")
    live = get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    store_results_superseding_earlier(Article.objects.get(pmid=201), live, {Kind.TAXON: species("7227")})
    for own in enter_eligible_server_and_enqueue_articles(server, challenge.phases.get(sort="training")):
        for pmid in (101, 102, 103, 104):
            results = species("9606") if own.task.name == "TX" else [AnnotationData(Kind.CLASSIFICATION, relevant=True)]
            store_results_superseding_earlier(
                Article.objects.get(pmid=pmid), own.producer, {Kind(own.task.kind): results}
            )
    (own,) = [each for each in enter_eligible_server_and_enqueue_articles(server, phase) if each.task.name == "TX"]
    for pmid, organism in ((201, "9606"), (202, "9606"), (203, "10116")):
        answer_in_test(own, pmid, organism)
    Article.objects.filter(pmid=NOT_HERE).delete()
    store_annotated_articles([ParsedArticle(ArticleIds(TEXT_CHANGED), (TextPassage("title", "Another text"),))])
    tasks.score_due_runs_after_cleaning_unless_busy()
    return own


def answer_in_test(run, pmid, organism):
    snapshot = run.phase.corpus.articles.get(snapshot__pmid=pmid)
    store_results_superseding_earlier(snapshot, run.producer, {Kind.TAXON: species(organism)}, duration_seconds=1.0)


def publish(phase):
    end(phase)
    publish_phase_or_request_if_sealed(phase)
    tasks.publish_requested_phases_and_tasks_unless_busy()
    tasks.score_due_runs_after_cleaning_unless_busy()
    phase.refresh_from_db()
    phase.corpus.refresh_from_db()


def list_taxa(article):
    rows = Result.objects.filter(article=article, superseded=None, producer__public=True)
    return sorted(rows.values_list("producer__sort", "annotations__identifier", "text_version"))


def test_its_results_show_with_the_articles(phase, run, client):
    snapshots = {snapshot.pmid: snapshot.article for snapshot in ArticleSnapshot.objects.all()}
    public = {article.pmid: article for article in Article.objects.filter(pmid__in=(201, 202))}
    publish(phase)
    same = public[SAME_TEXT]
    assert list_taxa(same) == [("gold", "9606", 3), ("server", "7227", 3), ("server", "9606", 3)]
    assert list_taxa(snapshots[TEXT_CHANGED]) == [("gold", "10090", 1), ("server", "9606", 1)]
    named = Article.objects.get(pmid=NOT_HERE)
    assert (named, named.opaque) == (snapshots[NOT_HERE], snapshots[NOT_HERE].opaque)
    assert list(phase.corpus.articles.order_by("corpusarticle__position")) == [same, snapshots[TEXT_CHANGED], named]
    assert client.get(f"/articles/{snapshots[SAME_TEXT].opaque}/").url == "/articles/201/"
    assert f'href="/articles/{snapshots[TEXT_CHANGED].opaque}/"' in client.get("/articles/202/").content.decode()
    other = client.get(f"/articles/{snapshots[TEXT_CHANGED].opaque}/").content.decode()
    assert 'href="/articles/202/"' in other and "Article 202" in other
    assert client.get("/api/v1/articles/").json()["count"] == 4 + 4


def test_an_article_keeps_the_changes_that_are_counted_while_it_is_released(phase, run, monkeypatch):
    snapshot = ArticleSnapshot.objects.get(pmid=NOT_HERE).article
    ArticleChange.objects.bulk_create(ArticleChange(article=snapshot) for _ in range(3))
    before, decide_release = read_version(snapshot), snapshot_release._decide_release

    def count_and_decide(*args, **options):
        count_changes_returning_whether_more_remain()
        return decide_release(*args, **options)

    monkeypatch.setattr(snapshot_release, "_decide_release", count_and_decide)
    publish(phase)
    assert Article.objects.get(pmid=NOT_HERE) == snapshot
    assert read_version(snapshot) > before


def test_its_scores_and_names_are_the_same(phase, run, client, olga):
    scores = Score.objects.filter(run=run, superseded=None).order_by("scenario")
    before = list(scores.values_list("scenario", "figures", "articles", "answered", "seconds_mean"))
    client.force_login(olga)
    mapping = client.get("/challenges/example/phases/test/mapping/").content
    snapshots = dict(ArticleSnapshot.objects.values_list("pmid", "article__opaque"))
    assert index_phase_articles_by_allowed_name(phase).keys() == set(snapshots.values())
    both = load_corpus_articles_by_names_except_pmcid(phase.corpus).keys()
    publish(phase)
    assert any(figures for _, figures, *_ in before)
    assert list(scores.values_list("scenario", "figures", "articles", "answered", "seconds_mean")) == before
    assert client.get("/challenges/example/phases/test/mapping/").content == mapping
    assert sorted(list_unexcluded_article_names(phase).values()) == ["201", "202", "203"]
    assert {"201", "202", "203", "10.1000/202"} <= index_phase_articles_by_allowed_name(phase).keys()
    assert both <= load_corpus_articles_by_names_except_pmcid(phase.corpus).keys()
    for pmid, opaque in snapshots.items():
        assert get_phase_article(phase, str(pmid)) == get_phase_article(phase, opaque)


def list_article_keys():
    """(model, field) of every foreign key to an article."""
    return {
        (model, field.name)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.fields
        if isinstance(field, models.ForeignKey) and field.related_model is Article and model not in UNMOVED_MODELS
    }


def test_no_row_is_left_with_a_snapshot_that_became_part_of_its_article(phase, run, olga):
    snapshot = phase.corpus.articles.get(snapshot__pmid=SAME_TEXT)
    exclude_article_and_request_rescoring(phase, snapshot, olga, "Withdrawn.")
    assert Call.objects.filter(article=snapshot).exists()
    publish(phase)
    assert {(each.related_model, each.field.name) for each in iter_moved_relations()} == list_article_keys()
    assert [key for key in list_article_keys() if key[0].objects.filter(**{key[1]: snapshot}).exists()] == []
    assert phase.excluded.get().article.pmid == SAME_TEXT


def test_what_a_call_stores_that_was_under_way_is_moved_too(phase, run):
    snapshot = phase.corpus.articles.get(snapshot__pmid=SAME_TEXT)
    Result.objects.filter(article=snapshot, producer=run.producer).delete()
    publish(phase)
    store_results_superseding_earlier(snapshot, run.producer, {Kind.TAXON: species("9606")})
    publishing.unseal_and_publish_requested_phases_and_tasks()
    assert ("server", "9606", 3) in list_taxa(Article.objects.get(pmid=SAME_TEXT))
    assert not Result.objects.filter(article=snapshot).exists()


def test_it_stays_blind_as_long_as_another_blind_corpus_has_it(phase, run, challenge):
    snapshot = phase.corpus.articles.get(snapshot__pmid=SAME_TEXT)
    create_challenge_corpus(challenge, "Next", "next", "", [snapshot.pk], blind=True)
    publish(phase)
    snapshot.refresh_from_db()
    assert (snapshot.blind, snapshot.snapshot.released) == (True, None)
    assert sorted(list_unexcluded_article_names(phase).values()) == ["201", "202", "203"]


def test_alternatives_of_a_gold_standard_go_with_their_article(olga):
    task, phase = make_mention_task(olga, "test")
    keys = [make_public_copy(snapshot).pk for snapshot in ArticleSnapshot.objects.order_by("pmid")]
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt", AlternativesFile(ALTERNATIVES, "alternatives.txt"))
    publish(phase)
    spans = find_decrypted_alternatives(GoldStandard.objects.get(phase=phase))
    assert set(spans) == {keys[0], keys[2]}


def make_public_copy(snapshot):
    """The public article that the snapshot was taken of."""
    text = get_article(snapshot.pmid)
    values = {"passages": text.passages, "text": text.text, "content_hash": text.content_hash}
    return Article.objects.create(pmid=snapshot.pmid, **values)
