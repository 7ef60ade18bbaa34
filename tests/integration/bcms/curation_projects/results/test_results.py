"""The results of a project: page, REST and CSV, against figures by hand, and who sees what."""

import csv
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User

from annotations.curation.models import Curation, Curator, PublishedAbstract
from annotations.curation.projects.adjudication import (
    build_shown_state,
    get_compared_article,
    store_adjudicated_outcome,
)
from annotations.curation.projects.questionnaire_replies import store_questionnaire_reply
from annotations.curation.session import get_or_begin_curation, open_curation
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from tests.integration.article_cast import live_queue, read_page_words
from tests.integration.curation_cast import NOON, decide, propose_gene
from tests.integration.evaluation_cast import get_article
from tests.integration.experiment_cast import curate_in_arm, make_experiment
from tests.integration.project_cast import add_curator, finish_now, make_project

pytestmark = pytest.mark.django_db
CDH1, CTNNB1, MOUSE = "P12830", "P35222", "P09803"


@pytest.fixture
def project(olga, alice, carol):
    return make_experiment(olga, alice, carol)


@pytest.fixture
def as_olga(client, olga):
    client.force_login(olga)
    return client


@pytest.fixture
def curated(project, alice, carol, olga):
    """On 101, alice with help finds both genes, and carol without misses one; on 102 carol with help adds a wrong one.

    The outcome of 101 has both genes, that of 102 has one.
    """
    curate_in_arm(project, alice, 101, "with", CDH1, CTNNB1, seconds=100)
    curate_in_arm(project, carol, 101, "without", CDH1, seconds=400)
    curate_in_arm(project, alice, 102, "without", CDH1, seconds=300)
    curate_in_arm(project, carol, 102, "with", CDH1, MOUSE, seconds=200)
    for pmid, kept in ((101, 0), (102, None)):
        decide_outcome(project, pmid, kept, olga)
    return project


def decide_outcome(project, pmid, kept, user):
    """Take the version of every item on which curators differ, or leave it out."""
    article = get_article(pmid).pk
    items = get_compared_article(project, article).compare()
    choices = {(item.kind, item.key): kept for item in items if not item.agreed}
    store_adjudicated_outcome(project, article, choices, build_shown_state(items, None), user.pk, NOON)


def url(project, suffix=""):
    return f"/curation/projects/{project.pk}/results/{suffix}"


def read_results(client, project, query=""):
    reply = client.get(f"/api/v1/curation-projects/{project.pk}/results/{query}")
    assert reply.status_code == 200, reply.content
    return reply.json()


def make_adjudicator(project):
    user = User.objects.create_user("judge")
    project.adjudicators.add(user)
    return user


def find_scores(results, kind="normalization"):
    """{name: (scored as, articles, tp, fp, fn)}."""
    (scores,) = [each for each in results["scores"] if each["kind"] == kind]
    return {
        each["name"]: (each["unit"], each["articles"], each["tp"], each["fp"], each["fn"])
        for each in scores["producers"]
    }


def read_csv(client, project, table, query=""):
    reply = client.get(url(project, f"{table}.csv{query}"))
    assert reply.status_code == 200
    assert reply.streaming
    return list(csv.DictReader(b"".join(reply.streaming_content).decode().splitlines()))


def test_it_compares_time_and_decisions_of_the_arms(as_olga, curated):
    arms = read_results(as_olga, curated)["arms"]
    first, second = arms["arms"]
    assert (first["with_help"], first["curations"], first["articles"]) == (True, 2, 2)
    assert (first["seconds"]["mean"], first["seconds"]["median"]) == (150.0, 150.0)
    assert first["seconds"]["sd"] == pytest.approx(5000**0.5)
    assert second["seconds"]["mean"] == 350.0
    # Each article is a pair: the differences are -300 and -100, and those of the samples are between them.
    assert (arms["seconds"]["value"], arms["seconds"]["interval"]) == (-200.0, [-300.0, -100.0])
    assert arms["decisions"]["value"] == 0.0


def test_it_scores_groups_and_persons_against_the_outcome(as_olga, curated):
    scores = find_scores(read_results(as_olga, curated))
    assert scores == {
        # 101: 2 of 2; 102: 1 of 1, and a wrong one.
        "curators with help": ("group", 2, 3, 1, 0),
        # 101: 1 of 2; 102: 1 of 1.
        "curators without help": ("group", 2, 2, 0, 1),
        "alice, curators with help": ("person", 1, 2, 0, 0),
        "alice, curators without help": ("person", 1, 1, 0, 0),
        "carol, curators with help": ("person", 1, 1, 1, 0),
        "carol, curators without help": ("person", 1, 1, 0, 1),
    }


def test_it_gives_macro_averages_beside_micro_averages(as_olga, curated):
    (scores,) = read_results(as_olga, curated)["scores"]
    found = {each["name"]: each for each in scores["producers"]}["curators with help"]
    # 101: 2 of 2; 102: 1 right of 2.
    assert (found["precision"], found["macro"]["precision"], found["macro"]["recall"]) == (0.75, 0.75, 1.0)
    assert (found["f1"], found["macro"]["f1"]) == pytest.approx((6 / 7, (1 + 2 / 3) / 2))
    assert (found["macro"]["articles"], found["macro"]["precision_interval"]) == (2, [0.5, 1.0])
    (row,) = [each for each in read_csv(as_olga, curated, "scores") if each["producer"] == "curators with help"]
    assert [row[f"macro_{name}"] for name in ("articles", "recall", "precision_low")] == ["2", "1.0", "0.5"]
    assert float(row["macro_f1"]) == found["macro"]["f1"]
    assert "curators with help Genes and proteins, macro 2 0.750" in read_page_words(as_olga.get(url(curated)))


def test_it_scores_systems_in_the_articles_that_people_have_finished(as_olga, curated, team):
    queue = live_queue(team, "Alpha")
    for pmid, identifiers in ((101, [CDH1, MOUSE]), (103, [CTNNB1])):
        genes = [AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier=each) for each in identifiers]
        # A gene of another database than the outcome uses is neither right nor wrong.
        genes.append(AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="999"))
        store_results_superseding_earlier(get_article(pmid), queue.producer, {Kind.NORMALIZATION: genes})
    scores = find_scores(read_results(as_olga, curated))
    assert scores[queue.producer.name] == ("system", 1, 1, 1, 1)


def finish_as_author(article, *identifiers):
    """The finished record of an author, who has no account."""
    producer = Producer.objects.create(sort=Producer.Type.AUTHOR, name="Authors")
    author = Curator.objects.create(producer=producer)
    curation = open_curation(get_or_begin_curation(author, article).pk, None, NOON)
    decide(curation, "accept", *[propose_gene(each) for each in identifiers])
    return finish_now(curation)


def test_it_counts_authors_whose_record_is_public_or_continued(as_olga, curated):
    public, continued, private = (finish_as_author(get_article(pmid), CDH1, MOUSE) for pmid in (101, 102, 103))
    published = PublishedAbstract.objects.create(article=public.article, curation=public, record={})
    published.contributions.create(curator=public.curator, position=0)
    following = Curation.objects.get(article=continued.article, curator__user__username="alice")
    Curation.objects.filter(pk=following.pk).update(basis=continued)
    results = read_results(as_olga, curated)
    scores = find_scores(results)
    assert scores["authors"] == ("group", 2, 2, 2, 1)
    assert scores["curators on authors' records"] == ("group", 1, 1, 0, 0)
    assert "alice, curators without help" not in scores
    assert [(each["role"], each["article"]) for each in results["curations"]].count(("author", "103")) == 0
    # Who continues an author's record is not measured.
    assert [arm["curations"] for arm in results["arms"]["arms"]] == [2, 1]
    between = {(each["first"], each["second"]): each for each in results["agreements"]}
    pair = between["authors", "curators on authors' records"]
    (entities,) = [level for level in pair["levels"] if level["level"] == "entity"]
    # {CDH1, MOUSE} and {CDH1}.
    assert (pair["articles"], pair["pairs"], entities["f1"]) == (1, 1, pytest.approx(2 / 3))
    assert private.state == "finished"


def test_it_scores_against_a_gold_standard_that_the_reader_sees(client, as_olga, olga, alice, challenge, training):
    task = creation.create_task(challenge, "INT", Kind.NORMALIZATION, "Interactors")
    gold = store_gold_sealed_or_open(task, training, b"101\tP12830\n101\tP35222\n102\tP12830\n", "int.tsv")
    project = make_experiment(olga, alice, corpus=training.corpus)
    curate_in_arm(project, alice, 101, "with", CDH1, MOUSE)
    results = read_results(as_olga, project, f"?reference={gold.pk}")
    # That of organisms is not scored here.
    assert [each["value"] for each in results["references"]] == ["outcome", str(gold.pk)]
    assert [each["kind"] for each in results["scores"]] == ["normalization"]
    assert find_scores(results)["curators with help"] == ("group", 1, 1, 1, 1)
    assert "the gold standard of INT" in read_page_words(as_olga.get(url(project, f"?reference={gold.pk}")))
    client.force_login(make_adjudicator(project))
    assert [each["value"] for each in read_results(client, project)["references"]] == ["outcome"]


def test_it_says_which_references_there_are(as_olga, project):
    refused = as_olga.get(f"/api/v1/curation-projects/{project.pk}/results/?reference=7")
    assert refused.status_code == 400
    assert "send one of: outcome" in str(refused.json())
    for suffix in ("", "curations.csv"):
        assert as_olga.get(url(project, f"{suffix}?reference=7")).status_code == 404


def test_it_summarizes_the_questionnaire_by_arm(as_olga, curated):
    replies = {"with": [[5, 4], [4, None]], "without": [[2, None]]}
    for arm, answers in replies.items():
        for curation, given in zip(Curation.objects.filter(arm=arm).order_by("pk"), answers, strict=False):
            store_questionnaire_reply(curation.pk, [*given, *[None] * 7], "Hard." if arm == "without" else "", NOON)
    skipped = Curation.objects.filter(arm="without").order_by("pk").last()
    store_questionnaire_reply(skipped.pk, [None] * 9, "", NOON)
    found = read_results(as_olga, curated)["questionnaire"]
    assert (found["replies"], found["skipped"]) == (3, 1)
    assert [(each["name"], each["arm"], each["counts"], each["mean"]) for each in found["statements"]] == [
        ("ease", "with", [0, 0, 0, 1, 1], 4.5),
        ("ease", "without", [0, 1, 0, 0, 0], 2.0),
        ("time", "with", [0, 0, 0, 1, 0], 4.0),
    ]
    assert [(each["name"], each["comment"]) for each in found["comments"]] == [("carol", "Hard.")]


def test_it_shows_all_of_it_on_a_page_with_a_fixed_number_of_queries(
    as_olga, curated, alice, django_assert_max_num_queries
):
    with django_assert_max_num_queries(22):
        page = as_olga.get(url(curated))
    words = read_page_words(page)
    assert "With help 2 2 150" in words
    assert "curators with help Genes and proteins, micro 2 3 1 0 0.750" in words
    assert "Curators with help and curators without help entity 2" in words
    assert '<svg xmlns="http://www.w3.org/2000/svg" class="chart"' in page.content.decode()
    curate_in_arm(curated, alice, 103, "with", CDH1)
    curate_in_arm(curated, alice, 104, "without", CDH1)
    with django_assert_max_num_queries(22):
        assert as_olga.get(url(curated)).status_code == 200


def test_it_writes_a_line_for_each_curation(as_olga, curated):
    first = Curation.objects.get(article__pmid=102, curator__user__username="carol")
    store_questionnaire_reply(first.pk, [5, *[None] * 8], "=1+1", datetime(2026, 3, 3, tzinfo=UTC))
    rows = read_csv(as_olga, curated, "curations")
    assert [(row["article"], row["curator"], row["arm"], row["seconds"]) for row in rows] == [
        ("101", "alice", "with", "100.0"),
        ("101", "carol", "without", "400.0"),
        ("102", "alice", "without", "300.0"),
        ("102", "carol", "with", "200.0"),
    ]
    assert [rows[3][f"normalization_{count}"] for count in ("tp", "fp", "fn")] == ["1", "1", "0"]
    assert (rows[3]["ease"], rows[3]["again"], rows[3]["comment"]) == ("5", "", "'=1+1")
    assert (rows[0]["decisions"], rows[0]["accept"], rows[0]["undone"], rows[0]["ease"]) == ("1", "1", "0", "")


def test_it_counts_what_was_taken_back_apart(as_olga, project, alice):
    curation = curate_in_arm(project, alice, 101, "with", CDH1, finish=False)
    decide(curation, "reject", propose_gene(MOUSE))
    decide(curation, "undo")
    finish_now(curation)
    (row,) = read_csv(as_olga, project, "curations")
    assert (row["decisions"], row["accept"], row["reject"], row["undone"]) == ("1", "1", "0", "1")


def test_it_writes_a_line_for_each_score(as_olga, curated):
    rows = {row["producer"]: row for row in read_csv(as_olga, curated, "scores", "?reference=outcome") if row["tp"]}
    found = rows["curators with help"]
    assert (found["kind"], found["unit"], found["precision"], found["recall"]) == (
        *("normalization", "group"),
        *("0.75", "1.0"),
    )
    assert 0.5 <= float(found["precision_low"]) <= 0.75 <= float(found["precision_high"]) <= 1.0
    assert as_olga.get(url(curated, "other.csv")).status_code == 404


def test_it_writes_a_line_for_each_level_of_an_agreement(as_olga, curated):
    rows = read_csv(as_olga, curated, "agreement", "?reference=outcome")
    shown = as_olga.get(f"/api/v1/curation-projects/{curated.pk}/results/").json()["agreements"]
    expected = [
        (each["first"], each["second"], level["level"], str(each["articles"]), str(each["pairs"]))
        for each in shown
        for level in each["levels"]
    ]
    assert expected
    assert [tuple(row.values())[:5] for row in rows] == expected
    assert {row["f1"] for row in rows} >= {str(level["f1"]) for level in shown[0]["levels"] if level["f1"] is not None}
    bounds = [level["intervals"].get("f1") for each in shown for level in each["levels"]]
    assert any(bounds)
    assert [(row["f1_low"], row["f1_high"]) for row in rows] == [tuple(map(str, own or ("", ""))) for own in bounds]


def test_it_shows_curators_their_own_part_only(client, curated, carol):
    client.force_login(carol)
    words = read_page_words(client.get(url(curated)))
    assert "101 without 400" in words
    assert "alice" not in words
    assert "Precision" not in words
    rows = read_csv(client, curated, "curations")
    assert {row["curator"] for row in rows} == {"carol"}
    assert "normalization_tp" not in rows[0]
    assert client.get(url(curated, "scores.csv")).status_code == 404
    assert client.get(f"/api/v1/curation-projects/{curated.pk}/results/").status_code == 403
    table = client.get(f"/api/v1/curation-projects/{curated.pk}/results/curations.csv/")
    assert b"alice" not in b"".join(table.streaming_content)


def test_it_shows_nothing_to_others(client, curated, django_user_model):
    client.force_login(django_user_model.objects.create_user("finn"))
    for address in (url(curated), url(curated, "curations.csv"), url(curated, "scores.csv")):
        assert client.get(address).status_code == 404


def test_it_leaves_out_articles_that_the_reader_still_curates(as_olga, curated, olga):
    add_curator(curated, olga)
    curate_in_arm(curated, olga, 101, "with", CDH1, finish=False)
    results = read_results(as_olga, curated)
    assert results["hidden"] == 1
    assert {each["article"] for each in results["curations"]} == {"102"}
    assert find_scores(results)["curators with help"] == ("group", 1, 1, 1, 0)


def test_it_has_results_of_projects_without_an_experiment(as_olga, olga, alice, project):
    for help, arm in (("systems", "with"), ("none", "without")):
        other = make_project(olga, alice, corpus=project.corpus, help=help)
        curate_in_arm(other, alice, 101, "", CDH1, seconds=50)
        (curation,) = read_results(as_olga, other)["curations"]
        assert (curation["arm"], curation["seconds"]) == (arm, 50.0)
        assert "There is nothing to compare yet: the outcome" in read_page_words(as_olga.get(url(other)))
