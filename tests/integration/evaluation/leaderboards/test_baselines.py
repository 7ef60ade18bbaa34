"""Baselines: what anyone could say without reading."""

import pytest

from annotations.articles.models import Article
from annotations.results.models import Producer, Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.leaderboards.baselines import store_baseline_runs_replacing_earlier
from evaluation.scoring.answers import load_current_annotations
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.evaluation_cast import answer, make_server

pytestmark = pytest.mark.django_db


@pytest.fixture
def phase(challenge):
    return challenge.phases.get()


def list_run_annotations(run, pmid):
    findings = load_current_annotations(run.producer_id, Kind(run.task.kind)).by_article
    own = findings[Article.objects.get(pmid=pmid).pk]
    return sorted(own, key=lambda finding: (finding.rank or 0, finding.identifier, finding.partner))


def test_it_calls_every_article_what_most_training_articles_are(challenge, phase):
    task = challenge.tasks.get(name="ACT")
    store_gold_sealed_or_open(task, phase, b"101\t0\n102\t0\n103\t0\n104\t1\n", "act.tsv")
    majority, _ = store_baseline_runs_replacing_earlier(task, phase)
    assert [list_run_annotations(majority, pmid)[0].relevant for pmid in (101, 102, 103, 104)] == [False] * 4
    assert compute_and_store_run_scores(majority).figures["accuracy"] == 0.75


def test_it_looks_for_the_word_interact(challenge, phase):
    Article.objects.filter(pmid=102).update(text="Bax INTERACTS with Bcl-2; this interaction is new.")
    _, words = store_baseline_runs_replacing_earlier(challenge.tasks.get(name="ACT"), phase)
    assert [(own.relevant, own.confidence) for own in list_run_annotations(words, 102)] == [(True, 2 / 3)]
    assert not list_run_annotations(words, 101)[0].relevant


def test_it_reports_the_four_most_frequent_methods(challenge, phase):
    task = creation.create_task(challenge, "IMT", Kind.METHOD, "Methods")
    gold = "".join(f"{pmid}\tMI:000{number}\n" for number in range(1, 6) for pmid in range(101, 106 - number))
    store_gold_sealed_or_open(task, phase, gold.encode(), "imt.tsv")
    (run,) = store_baseline_runs_replacing_earlier(task, phase)
    assert [own.identifier for own in list_run_annotations(run, 104)] == ["MI:0001", "MI:0002", "MI:0003", "MI:0004"]
    assert [own.rank for own in list_run_annotations(run, 104)] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("kind", "gold", "expected"),
    [
        (Kind.TAXON, b"101\t9606\n102\t9606\n103\t10090\n", ["9606", "10090"]),
        (Kind.NORMALIZATION, b"101\tP04637\n102\tP04637\n103\tP38398\n", ["P04637", "P38398"]),
    ],
)
def test_it_reports_the_most_frequent_identifiers(challenge, phase, kind, gold, expected):
    task = creation.create_task(challenge, "FREQ", kind, "Frequent")
    store_gold_sealed_or_open(task, phase, gold, "gold.tsv")
    (run,) = store_baseline_runs_replacing_earlier(task, phase)
    assert [own.identifier for own in list_run_annotations(run, 104)] == expected
    assert compute_and_store_run_scores(run).figures


def test_it_finds_the_mentions_of_the_training_articles(challenge, phase):
    task = creation.create_task(challenge, "GM", Kind.MENTION, "Genes")
    text = "Bax binds Bcl-2, and Baxter does not."
    Article.objects.filter(pmid=101).update(text=text, passages=[{"type": "title", "text": text}])
    gold = GoldStandard.objects.create(
        task=task,
        phase=phase,
        producer=Producer.objects.create(sort="gold", name="Mentions"),
        checksum="0" * 64,
        source="gm.tsv",
    )
    mentions = [AnnotationData(Kind.MENTION, start=0, end=3), AnnotationData(Kind.MENTION, start=10, end=15)]
    article = Article.objects.get(pmid=101)
    store_results_superseding_earlier(article, gold.producer, {Kind.MENTION: mentions})
    Article.objects.filter(pmid=102).update(text="Bcl-2 and Bax; BAX.")
    (run,) = store_baseline_runs_replacing_earlier(task, phase)
    found = load_current_annotations(run.producer_id, Kind.MENTION).by_article
    spans = {Article.objects.get(pk=pk).pmid: sorted((one.start, one.end) for one in own) for pk, own in found.items()}
    assert {pmid: own for pmid, own in spans.items() if own} == {101: [(0, 3), (10, 15)], 102: [(0, 5), (10, 13)]}


def test_it_takes_the_title_for_the_pairs_of_a_run(challenge, phase, team):
    passages = creation.create_task(challenge, "ISS", Kind.PASSAGE, "Passages")
    creation.create_task(challenge, "IPT", Kind.PAIR, "Pairs")
    (pairs,) = enter_eligible_server_and_enqueue_articles(make_server(team, "pairs", [Kind.PAIR]), phase)
    answer(pairs, 101, [AnnotationData(Kind.PAIR, 0.5, database="uniprot", identifier="P1", partner="P2")])
    (run,) = store_baseline_runs_replacing_earlier(passages, phase, pairs)
    assert [(own.identifier, own.partner, own.text) for own in list_run_annotations(run, 101)] == [
        ("P1", "P2", "Article 101")
    ]
    assert list_run_annotations(run, 102) == []
    assert run.name == f"Baseline: titles for the pairs of run {pairs.pk}"


def test_it_pairs_the_proteins_of_a_run(challenge, phase, team):
    pairs = creation.create_task(challenge, "IPT", Kind.PAIR, "Pairs")
    creation.create_task(challenge, "INT", Kind.NORMALIZATION, "Proteins")
    (proteins,) = enter_eligible_server_and_enqueue_articles(make_server(team, "proteins", [Kind.NORMALIZATION]), phase)
    answer(
        proteins,
        101,
        [
            AnnotationData(Kind.NORMALIZATION, confidence, database=database, identifier=name)
            for database, name, confidence in (
                ("uniprot", "P2", 0.5),
                ("uniprot", "P1", 0.8),
                ("uniprot", "P3", 0.5),
                ("ncbigene", "7157", 0.9),
            )
        ],
    )
    (run,) = store_baseline_runs_replacing_earlier(pairs, phase, proteins)
    assert [(own.identifier, own.partner, own.confidence) for own in list_run_annotations(run, 101)] == [
        ("P1", "P2", 0.4),
        ("P1", "P3", 0.4),
        ("P2", "P3", 0.25),
    ]
    assert list_run_annotations(run, 102) == []
    # By its name, which everybody reads, a team could be known that is not named yet.
    assert run.name == f"Baseline: all pairs of run {proteins.pk}"


def test_it_makes_them_again_in_their_place(challenge, phase):
    task = challenge.tasks.get(name="ACT")
    first, second = (
        store_baseline_runs_replacing_earlier(task, phase),
        store_baseline_runs_replacing_earlier(task, phase),
    )
    assert first == second
    assert Result.objects.filter(producer=first[0].producer, superseded__isnull=True).count() == 4


def test_it_says_what_is_missing(challenge, phase):
    GoldStandard.objects.all().delete()
    with pytest.raises(ChallengeError, match=r"ACT has no gold standard. Upload one"):
        store_baseline_runs_replacing_earlier(challenge.tasks.get(name="ACT"), phase)
    with pytest.raises(ChallengeError, match="needs a run of genes and proteins"):
        store_baseline_runs_replacing_earlier(creation.create_task(challenge, "IPT", Kind.PAIR, "Pairs"), phase)
    with pytest.raises(ChallengeError, match="needs a run of interaction pairs"):
        store_baseline_runs_replacing_earlier(creation.create_task(challenge, "ISS", Kind.PASSAGE, "Text"), phase)


def test_it_makes_them_by_rest(client, challenge, phase, olga):
    client.force_login(olga)
    address = "/api/v1/challenges/example/phases/training/baselines/"
    made = client.post(f"{address}ACT/").json()
    assert [own["name"] for own in made] == ["Baseline: majority class", 'Baseline: the word "interact"']
    assert {own["id"] for own in made} == set(phase.runs.values_list("pk", flat=True))
    lacking = client.post(f"{address}ACT/", {"proteins": made[0]["id"]})
    assert (lacking.status_code, lacking.json()["errors"][0]["loc"]) == (400, "proteins")
    GoldStandard.objects.all().delete()
    refused = client.post(f"{address}TX/")
    assert refused.status_code == 409
    assert "TX has no gold standard. Upload one" in refused.content.decode()
