"""Challenges and leaderboards by REST."""

import pytest
from django.utils import timezone

from annotations.articles.models import Corpus
from annotations.results.models import Producer
from annotations.schema import Kind
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.gold.models import GoldStandard
from evaluation.leaderboards.models import Ranking
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode

BOARD = "/api/v1/challenges/demo/training/ACT/"


@pytest.fixture
def challenge(olga):
    challenge = Challenge.objects.create(state="listed", name="Demo", slug="demo", description="Is it relevant?")
    challenge.organizers.add(olga)
    Task.objects.create(challenge=challenge, name="ACT", title="Articles", kind=Kind.CLASSIFICATION, primary="mcc")
    Phase.objects.create(
        challenge=challenge, sort="training", corpus=Corpus.objects.create(slug="training", name="Training")
    )
    return challenge


@pytest.fixture
def phase(challenge):
    return challenge.phases.get()


def add_run(phase, producer, team, name, mcc, sort="online"):
    task = phase.challenge.tasks.get()
    gold, _ = GoldStandard.objects.get_or_create(
        task=task,
        phase=phase,
        defaults={"producer": Producer.objects.create(sort="gold", name="Gold"), "checksum": "0" * 64},
    )
    run = Run.objects.create(task=task, phase=phase, producer=producer, team=team, name=name, sort=sort)
    Score.objects.create(
        run=run,
        gold=gold,
        figures={"mcc": mcc, "auc_pr": None},
        curve=[[0.0, 1.0], [0.5, 0.75]],
        articles=10,
        answered=9,
        signature="mcc|gold:0000",
        seen="1",
        intervals={"mcc": [mcc - 0.1, mcc + 0.1]},
    )
    return run


@pytest.fixture
def runs(phase, server, team):
    """GeneDict of Team Alpha, and the baseline "bind", which is better."""
    producer = get_or_create_queue_and_producer(server, QueueMode.TRAINING, "demo").producer
    baseline = Producer.objects.create(sort="run", name="bind")
    return [
        add_run(phase, producer, team, "GeneDict", 0.25),
        add_run(phase, baseline, None, "bind", 0.5, sort="baseline"),
    ]


def names(client):
    response = client.get(BOARD)
    assert response.status_code == 200, response.content
    return [row["name"] for row in response.json()["rows"]]


def test_it_lists_challenges_with_their_tasks_and_phases(client, challenge):
    [listed] = client.get("/api/v1/challenges/").json()["results"]
    assert (listed["slug"], listed["description"]) == ("demo", "Is it relevant?")
    assert [(task["name"], task["kind"], task["primary"]) for task in listed["tasks"]] == [
        ("ACT", "classification", "mcc")
    ]
    assert [(phase["sort"], phase["corpus"]) for phase in listed["phases"]] == [("training", "training")]
    assert client.get("/api/v1/challenges/demo/").json() == listed


def test_it_shows_unpublished_runs_to_their_team_and_the_organizer_only(client, runs, alice, carol, olga):
    assert names(client) == []
    client.force_login(carol)
    assert names(client) == []
    client.force_login(alice)
    assert names(client) == ["GeneDict"]
    client.force_login(olga)
    assert names(client) == ["bind", "GeneDict"]


def test_it_shows_a_published_board_to_everybody(client, phase, runs):
    Phase.objects.update(published=timezone.now())
    body = client.get(BOARD).json()
    assert (body["challenge"], body["phase"], body["task"], body["primary"]) == ("demo", "training", "ACT", "mcc")
    assert body["measures"][0]["name"] == "mcc"
    baseline, run = body["rows"]
    assert (baseline["name"], baseline["first_rank"], baseline["team"]) == ("bind", None, "")
    assert (run["name"], run["first_rank"], run["last_rank"]) == ("GeneDict", 1, 1)
    assert (run["team"], run["server"], run["answered"], run["articles"]) == ("Team Alpha", "genedict", 9, 10)
    assert (run["figures"]["mcc"], run["figures"]["auc_pr"]) == (0.25, None)
    assert run["curve"] == [[0.0, 1.0], [0.5, 0.75]]
    assert run["signature"] == "mcc|gold:0000"
    assert run["intervals"] == {"mcc": [0.15, 0.35]}
    assert (body["scenario"], body["tests"], body["ensemble"]) == ("all", None, None)


def test_it_gives_every_two_runs_once_they_are_compared(client, phase, runs, server, team):
    Phase.objects.update(published=timezone.now())
    add_run(phase, Producer.objects.create(sort="run", name="other"), team, "Other", 0.75)
    assert client.get(f"{BOARD}pairs/").json() == {"measure": "mcc", "tests": None, "pairs": []}
    scores = Score.objects.exclude(run__sort="baseline").order_by("pk")
    task = phase.challenge.tasks.get()
    made = {"scores": [score.pk for score in scores], "counts": [99], "samples": 9999, "seed": 1}
    Ranking.objects.create(task=task, phase=phase, scenario="all", measure="mcc", **made)
    (pair,) = client.get(f"{BOARD}pairs/").json()["pairs"]
    assert (pair["difference"], pair["p"], pair["corrected"]) == (0.5, 0.01, 0.01)
    other, first, _ = client.get(BOARD).json()["rows"]
    assert (pair["a"], pair["b"]) == (other["run"], first["run"] if first["name"] == "GeneDict" else pair["b"])
    assert (other["first_rank"], other["last_rank"]) == (1, 1)


@pytest.mark.parametrize("query", ["scenario=nonsense", "average=median"])
def test_it_refuses_a_choice_that_there_is_not(client, runs, query):
    assert client.get(f"{BOARD}?{query}").status_code == 400


@pytest.mark.parametrize("path", ["other/training/ACT/", "demo/test/ACT/", "demo/training/TX/", "other/"])
def test_it_says_that_there_is_no_such_board(client, challenge, path):
    response = client.get(f"/api/v1/challenges/{path}")
    assert (response.status_code, response.json()["code"]) == (404, "not-found")


@pytest.mark.parametrize(("path", "queries"), [("/api/v1/challenges/", 5), (BOARD, 9)])
def test_it_takes_the_same_number_of_queries_however_much_there_is(
    client, phase, runs, team, django_assert_num_queries, path, queries
):
    Phase.objects.update(published=timezone.now())
    for number in range(4):
        producer = Producer.objects.create(sort="run", name=f"Run {number}")
        add_run(phase, producer, team, f"Run {number}", 0.1 * number)
        more = Challenge.objects.create(state="listed", name=f"C{number}", slug=f"c{number}")
        Task.objects.create(challenge=more, name="TX", kind=Kind.TAXON, primary="macro_f1")
    with django_assert_num_queries(queries):
        assert client.get(path).status_code == 200
