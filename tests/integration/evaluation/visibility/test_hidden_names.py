"""Where a phase names its teams from a date on, nothing before it tells others whose run is which, published or not.

Every address of the site is asked for as others than the team, and searched for what would tell it.
"""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotations.results.models import Result
from evaluation import tasks
from evaluation.calibration.models import Calibration
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.phases import lifecycle
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from servers.registry.models import Server
from servers.teams.models import Team
from tests.integration.archive_cast import beta
from tests.integration.evaluation_cast import (
    answer,
    end,
    get_article,
    make_challenge,
    make_corpus,
    make_server,
    relevant,
    species,
)
from tests.integration.every_address import iter_all_responses

pytestmark = pytest.mark.django_db
BOARD = "/challenges/example/test/TX/"
# What tells of a run itself, and of whose it is. All servers are listed on some pages, and have pages of their own with
# their team: there only what ties them to the challenge would tell it.
RUN_SECRETS = ("Zeppelin", "zeppelin", "Okapi")
TEAM_SECRETS = ("Xylophone", "Quagga")
TIES = ("Example challenge training", "Example challenge test")
LIST_PAGES = ("/", "/articles/", "/articles/?q=Article")
OWN_PAGES = ("/servers/", "/teams/", "/api/v1/servers/")
MORE = (
    *("/api/v1/export/ndjson/", "/articles/201/export/tsv/", "/corpora/blind/compare/?kind=taxon"),
    *("/api/v1/articles/201/export/bioc-json/", "/api/v1/articles/201/consensus/?method=union", "/articles/?q=Article"),
    f"{BOARD}files/organisms.tsv",
)


@pytest.fixture
def bob(django_user_model):
    """On another team that takes part."""
    return beta(django_user_model)[1]


@pytest.fixture
def run(olga, team, alice, bob, settings):
    """An uploaded run in a test that is published, and those of a server there and in training; names come later."""
    settings.API_FILES_PER_MINUTE = 100
    Team.objects.filter(pk=team.pk).update(name="Quagga")
    team.refresh_from_db()
    challenge = make_challenge(olga, make_corpus())
    training, tx = challenge.phases.get(), challenge.tasks.get(name="TX")
    test = creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True)
    )
    store_gold_sealed_or_open(tx, test, b"201\t9606\n202\t10090\n", "test.tsv")
    Phase.objects.update(names_shown=timezone.now() + timedelta(days=1))
    server = make_server(team, "reader")
    Server.objects.filter(pk=server.pk).update(name="Xylophone")
    server.refresh_from_db()
    for own in enter_eligible_server_and_enqueue_articles(server, training):
        for pmid in (101, 102, 103, 104):
            answer(own, pmid, relevant(True) if own.task.name == "ACT" else species("9606"), duration=1.0)
    for own in enter_eligible_server_and_enqueue_articles(server, test):
        for pmid in (201, 202):
            answer(own, pmid, relevant(True) if own.task.name == "ACT" else species("10090"), duration=1.0)
    line = f"{get_article(201).opaque}\t9606\t1\t0.5\n".encode()
    theirs = Team.objects.get(slug="team-beta")
    upload = intake.store_run_upload_and_process_or_enqueue(
        RunSubmission("Zeppelin", "Okapi", "zeppelin.tsv", line), tx, test, team, alice
    )
    intake.store_run_upload_and_process_or_enqueue(
        RunSubmission("Balloon", "", "balloon.tsv", line.replace(b"9606", b"10116")), tx, test, theirs, bob
    )
    end(test)
    for phase in (training, test):
        phase.refresh_from_db()
        publish_phase_or_request_if_sealed(phase)
    for task in (
        tasks.publish_requested_phases_and_tasks_unless_busy,
        tasks.score_due_runs_after_cleaning_unless_busy,
        tasks.rank_stale_boards_unless_busy,
        tasks.calibrate_stale_runs_unless_busy,
    ):
        task()
    assert Phase.objects.filter(published__isnull=False).count() == 2
    return upload.run


def list_leaking_answers(user, run, more):
    """{address: what tells whose run it is}, of every address of the site and of more of them."""
    client = log_in_client(user)
    results = Result.objects.filter(producer__runs=run).values_list("pk", flat=True)
    more = (*more, *(f"/articles/201/results/{pk}/" for pk in results))
    every = {form: body for form, _, body in iter_all_responses(client, run)} | bodies(client, more)
    return {form: words for form, body in every.items() if (words := list_leaked_names(form, body))}


def list_leaked_names(form, body):
    listed = form in LIST_PAGES or form.startswith(OWN_PAGES)
    text = body.decode("utf-8", "replace")
    return [word for word in (*RUN_SECRETS, *(TIES if listed else TEAM_SECRETS)) if word in text]


def bodies(client, addresses):
    return {address: read_body(client.get(address)) for address in addresses}


def log_in_client(user):
    client = Client()
    if user:
        client.force_login(user)
    return client


def read_body(reply):
    return b"".join(reply.streaming_content) if reply.streaming else reply.content


LEAKING_CASES = (
    *(BOARD, f"{BOARD}leaderboard.csv", f"{BOARD}leaderboard.json", "/api/v1/challenges/example/test/TX/"),
    *("/articles/201/", "/api/v1/articles/201/annotations/", "/servers/reader/", *MORE[:3]),
)


@pytest.mark.long
def test_nothing_tells_whose_a_run_is_before_its_date(run, bob):
    assert Calibration.objects.exists()
    assert list_leaking_answers(bob, run, MORE) == {}
    assert [
        address
        for address, body in bodies(log_in_client(None), (*LEAKING_CASES, *MORE)).items()
        if list_leaked_names(address, body)
    ] == []


def test_everything_tells_it_from_that_date_on(run):
    """So that the walk above is seen to look where there is something."""
    Phase.objects.update(names_shown=timezone.now() - timedelta(seconds=1))
    lifecycle.begin_end_phases_and_publish_due_runs(timezone.now())
    found = bodies(log_in_client(None), LEAKING_CASES)
    assert [address for address in LEAKING_CASES if not list_leaked_names(address, found[address])] == []


def test_the_team_and_the_organizers_know_it_all_along(run, alice, olga):
    for user in (alice, olga):
        found = bodies(log_in_client(user), (f"/runs/{run.pk}/", *LEAKING_CASES[4:7]))
        assert all(list_leaked_names(address, body) for address, body in found.items())


def test_a_board_that_names_its_teams_is_another_version(run, client):
    version = client.get(BOARD).context["board"].version
    assert client.get(f"{BOARD}live/?v={version}").status_code == 204
    Phase.objects.update(names_shown=None)
    assert client.get(f"{BOARD}live/?v={version}").status_code == 200


def test_what_comes_in_later_stays_hidden_too(run, team, alice):
    """Training goes on when it is published."""
    training = Phase.objects.select_related("challenge", "corpus").get(sort="training")
    tx = training.challenge.tasks.get(name="TX")
    later = intake.store_run_upload_and_process_or_enqueue(
        RunSubmission("Later", "", "later.tsv", b"101\t9606\t1\t0.5\n"), tx, training, team, alice
    ).run
    own = enter_eligible_server_and_enqueue_articles(make_server(team, "second"), training)
    assert not later.producer.public
    assert not any(Run.objects.get(pk=each.pk).producer.public for each in own)
