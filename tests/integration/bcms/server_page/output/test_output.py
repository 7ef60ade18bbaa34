"""What a server reports and how it scores, on its page: for its team, and for everybody."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.articles.models import Article, ArticleTakedown, Corpus
from annotations.results.models import Result
from annotations.results.storage import store_annotations
from annotations.schema import AnnotationData, Kind, Span, make_mention
from bcms.server_page.output import reported_types
from evaluation.challenges.models import Challenge, Phase
from evaluation.gold.models import GoldStandard
from evaluation.runs.models import Run
from evaluation.scoring.visible_scores import list_scores_of_servers
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.review.states import ReviewState
from tests.integration.evaluation_cast import make_server
from tests.integration.score_cast import store_server_score

pytestmark = pytest.mark.django_db


@pytest.fixture
def accepted(server):
    server.review = ReviewState.ACCEPTED
    server.save()
    return server


def read_section(client, server, heading):
    """The words of a section of the page; "" if the page does not have it."""
    page = client.get(f"/servers/{server.slug}/").content.decode()
    section = page.partition(f">{heading}</h2>")[2].partition("</section>")[0]
    return " ".join(re.sub("<[^>]+>", " ", section).split())


def report(server, article, *found, kind="mention", mode=QueueMode.LIVE):
    producer = contents.get_or_create_queue_and_producer(server, mode).producer
    result = Result.objects.create(article=article, text_version=1, kind=kind, producer=producer)
    store_annotations((result.pk, each) for each in found)
    return result


def mention(entity_type, start=0):
    return make_mention([Span(start, start + 3)], "p53", entity_type)


def test_it_counts_kinds_and_types_of_the_newest_answers(accepted, article):
    assert read_section(Client(), accepted, "What it reports") == ""
    report(accepted, article, mention("Gene"), mention("Gene", 4), mention("Disease"))
    report(accepted, article, AnnotationData(Kind.CLASSIFICATION, relevant=True), kind="classification")
    words = read_section(Client(), accepted, "What it reports")
    assert "4 annotations in the newest answers, for 1 article." in words
    assert "Mentions Gene 2" in words
    assert "Mentions Disease 1" in words
    assert words.index("Gene 2") < words.index("Disease 1")


def test_it_counts_only_what_is_public_and_live(accepted, article):
    report(accepted, article, mention("Mode"), mode=QueueMode.TRAINING)
    blind = Article.objects.create(blind=True, text="p53", passages=[], content_hash="0")
    report(accepted, blind, mention("Secret"))
    taken_down = Article.objects.create(pmid=99, text="p53", passages=[], content_hash="1")
    report(accepted, taken_down, mention("Removed"))
    ArticleTakedown.objects.create(article=taken_down, reason="At the request of its authors.")
    earlier = report(accepted, article, mention("Earlier"))
    Result.objects.filter(pk=earlier.pk).update(superseded=timezone.now())
    report(accepted, article)
    words = read_section(Client(), accepted, "What it reports")
    assert words == "No annotations in the newest answers, for 1 article."


def test_it_names_few_types_and_reads_few_answers(accepted, article, monkeypatch):
    monkeypatch.setattr(reported_types, "MOST_TYPES", 1)
    report(accepted, article, mention("Gene"), mention("Gene", 4), mention("<b>"))
    words = read_section(Client(), accepted, "What it reports")
    assert "and 1 less frequent type" in words
    monkeypatch.setattr(reported_types, "NEWEST_RESULTS", 1)
    newer = Article.objects.create(pmid=98, text="p53", passages=[], content_hash="2")
    report(accepted, newer, mention("Newer"))
    assert "1 annotation in the newest answers" in read_section(Client(), accepted, "What it reports")


def test_it_counts_a_part_of_a_huge_answer_and_says_so(accepted, article, monkeypatch):
    """The page must not take longer for a server that answers with hundreds of thousands of annotations."""
    monkeypatch.setattr(reported_types, "MOST_OF_A_RESULT", 3)
    report(accepted, article, mention("Gene"), mention("Gene", 4))
    assert "at most" not in read_section(Client(), accepted, "What it reports")
    newer = Article.objects.create(pmid=98, text="p53", passages=[], content_hash="2")
    report(accepted, newer, *(mention("Disease", start) for start in range(9)))
    words = read_section(Client(), accepted, "What it reports")
    assert "5 annotations in the newest answers, for 2 articles. Of each answer, at most 3 are counted." in words
    assert "Mentions Disease 3" in words


def test_everybody_sees_published_scores_that_name_the_teams(client, accepted, challenge, alice, carol):
    phase = challenge.phases.get(sort="training")
    score = store_server_score(accepted, phase, 0.25, [0.125, 0.5])
    own = Client()
    own.force_login(alice)
    client.force_login(carol)
    shown = "TX Example challenge , training Macro F1 0.2500 0.1250 to 0.5000"
    assert shown in read_section(own, accepted, "Scores in challenges")
    assert read_section(client, accepted, "Scores in challenges") == ""
    GoldStandard.objects.filter(pk=score.gold_id).update(published=timezone.now())
    assert shown in read_section(client, accepted, "Scores in challenges")
    assert shown in read_section(Client(), accepted, "Scores in challenges")
    Phase.objects.update(names_shown=timezone.now() + timedelta(days=1))
    assert read_section(client, accepted, "Scores in challenges") == ""
    assert shown in read_section(own, accepted, "Scores in challenges")
    Phase.objects.update(names_shown=None)
    Challenge.objects.update(state="draft")
    assert read_section(client, accepted, "Scores in challenges") == ""


def test_nobody_sees_the_score_in_a_test_before_it_is_published(accepted, challenge, alice):
    phase = challenge.phases.create(sort="test", corpus=Corpus.objects.create(name="Test", slug="test"))
    store_server_score(accepted, phase, 0.75)
    own = Client()
    own.force_login(alice)
    assert read_section(own, accepted, "Scores in challenges") == ""
    Phase.objects.filter(pk=phase.pk).update(published=timezone.now())
    for client in (own, Client()):
        assert "0.7500" in read_section(client, accepted, "Scores in challenges")


@pytest.mark.parametrize(("rule", "counted"), [("all", True), ("best", False), ("last", False), ("final", False)])
def test_a_run_that_does_not_count_is_not_listed(accepted, challenge, rule, counted):
    server_two = make_server(accepted.team, "second")
    phase = challenge.phases.get(sort="training")
    store_server_score(accepted, phase, 0.25)
    later = store_server_score(server_two, phase, 0.5)
    Run.objects.filter(pk=later.run_id).update(final=True)
    GoldStandard.objects.update(published=timezone.now())
    Phase.objects.update(counted_runs=rule)
    assert ("0.2500" in read_section(Client(), accepted, "Scores in challenges")) == counted
    assert "0.5000" in read_section(Client(), server_two, "Scores in challenges")


def test_the_number_of_queries_does_not_depend_on_the_number_of_scores(accepted, challenge, django_assert_num_queries):
    server_two = make_server(accepted.team, "second")
    Phase.objects.update(counted_runs="best")
    for phase in challenge.phases.all():
        for each in (accepted, server_two):
            store_server_score(each, phase, 0.25)
    GoldStandard.objects.update(published=timezone.now())
    with django_assert_num_queries(3):
        assert list_scores_of_servers([accepted.pk, server_two.pk], AnonymousUser(), timezone.now())


def list_scans(plan):
    """The name of each table that a plan reads, with the number of rows that it read."""
    read = plan["Actual Rows"] * plan["Actual Loops"] + plan.get("Rows Removed by Filter", 0)
    own = [(plan["Relation Name"], read)] if "Relation Name" in plan else []
    return [*own, *(scan for part in plan.get("Plans", ()) for scan in list_scans(part))]


def test_the_newest_answers_are_found_without_reading_all(accepted, monkeypatch):
    monkeypatch.setattr(reported_types, "NEWEST_RESULTS", 10)
    texts = [Article(pmid=pmid, text="p53", passages=[], content_hash=str(pmid)) for pmid in range(500, 1500)]
    producer = contents.get_or_create_queue_and_producer(accepted, QueueMode.LIVE).producer
    now = timezone.now()
    Result.objects.bulk_create(
        Result(
            article=each, text_version=1, kind="mention", producer=producer, received=now - timedelta(minutes=each.pmid)
        )
        for each in Article.objects.bulk_create(texts)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE annotations_result, annotations_article, annotations_producer, servers_queue")
        with CaptureQueriesContext(connection) as queries:
            assert reported_types.load_reported_types(accepted).articles == 10
        [newest] = [query["sql"] for query in queries if query["sql"].endswith("LIMIT 10")]
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {newest}")
        scans = list_scans(cursor.fetchone()[0][0]["Plan"])
    assert "annotations_result" in dict(scans)
    assert max(rows for _, rows in scans) < 100
