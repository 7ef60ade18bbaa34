"""The pages of a leaderboard: scenarios, every two runs compared, what a score was made from, files, baselines."""

import re
from html import unescape

import pytest
from django.db.models.functions import Now

from annotations.schema import AnnotationData, Kind
from evaluation import tasks
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.leaderboards.models import Ranking
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.teams.models import Membership, Team
from tests.integration.evaluation_cast import (
    ACT_GOLD,
    answer,
    create_listed_challenge,
    make_corpus,
    make_server,
    relevant,
    species,
)

pytestmark = pytest.mark.django_db
BOARD = "/challenges/example/training/ACT/"
SPECIES = "/challenges/example/training/TX/"


@pytest.fixture
def others(django_user_model):
    team = Team.objects.create(name="Team Beta", slug="team-beta")
    bob = django_user_model.objects.create_user("bob", "bob@example.org", "a-long-password")
    Membership.objects.create(team=team, user=bob, role="member")
    return team


@pytest.fixture
def runs(team, others, phase):
    """Three runs of two teams, compared."""
    entered = []
    for own, slug, said in ((team, "right", "TTFF"), (team, "half", "TFTF"), (others, "wrong", "FFTT")):
        run = enter_eligible_server_and_enqueue_articles(make_server(own, slug), phase)[0]
        for pmid, letter in zip((101, 102, 103, 104), said, strict=True):
            answer(run, pmid, relevant(letter == "T"), duration=1.0 + pmid - 100)
        compute_and_store_run_scores(run)
        entered.append(run)
    assert tasks.rank_stale_boards_unless_busy() == "1 ranked"
    return entered


@pytest.fixture
def published(runs, phase):
    publish_phase_or_request_if_sealed(phase)
    return runs


def read_page_text(response):
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def test_it_shows_shared_ranks_intervals_and_the_ensemble(client, published):
    page = client.get(BOARD)
    words = read_page_text(page)
    for shown in (
        "1= 1-3 Right",
        "95 % confidence interval",
        "ensemble",
        "compared with the best run",
        "randomization:10000|seed:1",
    ):
        assert shown in words, shown
    assert page.content.count(b"<circle") >= 4


def test_it_compares_every_two_runs_without_colour(client, published):
    words = read_page_text(client.get(f"{BOARD}pairs/"))
    assert "0 of 3 pairs differ significantly" in words
    assert "10,000 samples, seed 1" in words
    assert words.count(" = ") >= 6
    assert "python -m evaluation compare --task act --unreported negative --figure mcc" in words


def test_it_says_how_far_the_tests_are(client, published):
    assert "until then they stand" not in read_page_text(client.get(BOARD))
    Ranking.objects.filter(measure="mcc").update(done=4000, total=10_000)
    page = client.get(BOARD)
    assert "Comparing runs, 40 % done" in read_page_text(page)
    assert 'aria-valuenow="40"' in page.content.decode()


def test_it_tells_what_a_score_was_made_from_and_keeps_those_before(client, published, phase):
    run = published[1]
    address = f"{BOARD}scores/{run.pk}/"
    words = read_page_text(client.get(address))
    score = run.scores.get()
    assert "python -m evaluation score --task act --unreported negative --bootstrap 1000 --seed 1" in words
    assert score.signature in words and score.checksum in words
    assert "No earlier scores" in words
    store_gold_sealed_or_open(run.task, phase, ACT_GOLD.replace(b"104\t0", b"104\t1"), "second.tsv")
    compute_and_store_run_scores(run)
    words = read_page_text(client.get(address))
    assert score.signature in words and "Superseded" in words
    assert client.get(f"{BOARD}scores/999999/").status_code == 404


@pytest.mark.parametrize("page", ["pairs/", "leaderboard.tex", "quality-time.svg", "scores/{run}/", ""])
def test_it_keeps_unpublished_runs_from_others(client, runs, carol, alice, page):
    address = BOARD + page.format(run=runs[2].pk)
    for user in (carol, alice):
        client.force_login(user)
        content = client.get(address).content
        assert b"Wrong" not in content and b"Team Beta" not in content


def test_it_gives_a_team_no_rank_among_runs_that_it_may_not_see(client, runs, alice):
    client.force_login(alice)
    words = read_page_text(client.get(BOARD))
    assert "1= 1-2 Right" in words
    assert "ensemble" not in words
    assert "0 of 1 pairs" in read_page_text(client.get(f"{BOARD}pairs/"))


def test_it_draws_the_curves_that_were_chosen(client, published):
    chosen = published[2].pk
    every = client.get(f"{BOARD}precision-recall.svg").content
    one = client.get(f"{BOARD}precision-recall.svg?run={chosen}").content
    assert every.count(b'<g class="series" data-points=') == 3 and one.count(b'<g class="series" data-points=') == 1
    page = client.get(f"{BOARD}?run={chosen}").content.decode()
    assert page.count(" checked>") == 1
    assert f"?run={chosen}" in re.search(r'data-live="([^"]+)"', page)[1]


def test_it_draws_the_figure_against_the_time(client, published):
    drawn = client.get(f"{BOARD}quality-time.svg").content.decode()
    assert "MCC against time" in drawn and "Wrong" in drawn
    assert "Score and response time" in read_page_text(client.get(BOARD))


def test_it_switches_scenario_and_average(client, team, phase, olga):
    run = enter_eligible_server_and_enqueue_articles(make_server(team, "species"), phase)[1]
    answer(run, 101, species("9606", "10090"))
    compute_and_store_run_scores(run)
    tasks.rank_stale_boards_unless_busy()
    client.force_login(olga)
    words = read_page_text(client.get(f"{SPECIES}?scenario=answered&average=micro"))
    assert "Ranked by Micro F1, unofficial: document-centric" in words
    assert "no test can compare them" in words
    for wrong in ("scenario=nonsense", "average=median"):
        assert client.get(f"{SPECIES}?{wrong}").status_code == 404


def test_it_says_why_a_scenario_is_absent(client, team, olga):
    challenge = create_listed_challenge("Genes", "genes", "", olga)
    task = creation.create_task(challenge, "GN", Kind.NORMALIZATION, "Genes")
    phase = creation.create_phase_claiming_blind_corpus(challenge, "training", make_corpus("genes", (201,)))
    store_gold_sealed_or_open(task, phase, b"201\tP04637\n", "gn.tsv")
    (run,) = enter_eligible_server_and_enqueue_articles(make_server(team, "genes", [Kind.NORMALIZATION]), phase)
    answer(run, 201, [AnnotationData(Kind.NORMALIZATION, 0.5, database="uniprot", identifier="P04637")])
    compute_and_store_run_scores(run)
    client.force_login(olga)
    page = client.get("/challenges/genes/training/GN/")
    assert "no organism for 1 of the 1 gold items" in read_page_text(page)
    assert "P04637" not in page.content.decode()


def test_it_writes_a_table_for_papers(client, published):
    Run.objects.filter(pk=published[0].pk).update(name="50% \\input{x} & more_")
    table = client.get(f"{BOARD}leaderboard.tex").content.decode()
    assert r"50\% \textbackslash{}input\{x\} \& more\_" in table
    assert table.count(r" \\") == 5
    assert "1 & 1--3 & " in table


def test_it_makes_baselines_for_the_organizer_only(client, runs, alice, olga, phase):
    for user, status in ((alice, 403), (olga, 302)):
        client.force_login(user)
        assert client.post(f"{BOARD}baselines/").status_code == status
    assert tasks.score_due_runs_after_cleaning_unless_busy() == "2 of 2 scored"
    words = read_page_text(client.get(BOARD))
    assert "Baseline: majority class" in words and "Baseline: the word" in words
    assert phase.runs.filter(sort="baseline").count() == 2


def test_it_needs_a_fixed_number_of_queries(client, runs, olga, django_assert_max_num_queries):
    client.force_login(olga)
    for address, queries in ((BOARD, 17), (f"{BOARD}pairs/", 15), (f"{BOARD}scores/{runs[0].pk}/", 18)):
        with django_assert_max_num_queries(queries):
            assert client.get(address).status_code == 200


def test_it_shows_one_task_that_is_published_alone(client, runs, phase):
    phase.golds.filter(task__name="ACT").update(published="2026-01-01T00:00Z")
    assert Phase.objects.get().published is None
    assert "Right" in read_page_text(client.get(BOARD))
    assert client.get(f"{BOARD}leaderboard.json").json()["published"] == "2026-01-01T00:00:00Z"
    assert client.get(f"/api/v1{BOARD}").json()["published"] == "2026-01-01T00:00:00Z"
    assert "No runs that you can see" in read_page_text(client.get(SPECIES))
    assert client.get(f"{SPECIES}leaderboard.json").json()["published"] is None


def test_it_links_each_run_to_its_page_for_those_who_may_see_it(client, runs, phase, alice, olga, carol):
    Phase.objects.update(published=Now())
    page, score = f'href="/runs/{runs[0].pk}/"', f'href="{BOARD}scores/{runs[0].pk}/"'
    for user, there in ((None, False), (carol, False), (alice, True), (olga, True)):
        if user:
            client.force_login(user)
        words = client.get(BOARD).content.decode()
        assert (page in words) == there
        assert score in words
