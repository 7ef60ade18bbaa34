"""Errors of the meta-server in a test, which cost a server no try: the organizers see them and get one mail."""

import pytest

from evaluation import tasks
from evaluation.challenges.matrix.server_matrix import build_server_matrix
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.runs.models import Run
from servers.calls.models import Attempt, Call
from tests.integration.evaluation_cast import make_server

pytestmark = pytest.mark.django_db


@pytest.fixture
def tested(challenge, testing, team):
    """The test phase with two servers; one of them was answered badly by us twice."""
    challenge.phases.filter(sort="training").delete()
    for name in ("provoking", "fine"):
        enter_eligible_server_and_enqueue_articles(make_server(team, name), testing)
    call = Call.objects.filter(server__slug="provoking").order_by("pk").first()
    for number in (1, 2):
        Attempt.objects.create(call=call, server=call.server, number=number, outcome="our fault", message="Our error.")
    other = Call.objects.filter(server__slug="fine").order_by("pk").first()
    Attempt.objects.create(call=other, server=other.server, number=1, outcome="connection", message="Refused.")
    return testing


def test_its_organizers_get_one_mail_for_each_server(tested, mailoutbox):
    for _ in range(2):
        tasks.begin_or_end_phases_and_remind()
    [sent] = mailoutbox
    assert sent.to == ["olga@example.org"]
    assert sent.subject.startswith("[BCMS] Example challenge: calls of ")
    assert "/challenges/example/phases/test/matrix/" in sent.body
    unmailed = Run.objects.filter(errors_mailed=None).values_list("producer__queue__server__slug", flat=True)
    assert set(unmailed) == {"fine"}


def test_its_matrix_counts_them(organizer, tested):
    rows = {row.server.slug: row for row in build_server_matrix(tested).rows}
    assert (rows["provoking"].site_errors, rows["fine"].site_errors) == (2, 0)
    page = organizer.get("/challenges/example/phases/test/matrix/").content.decode()
    assert page.count("2 errors of the meta-server") == 1
    shown = organizer.get("/api/v1/challenges/example/phases/test/matrix/").json()
    assert {row["server"]: row["site_errors"] for row in shown["rows"]} == {"provoking": 2, "fine": 0}


def test_nobody_is_mailed_about_training(training, team, mailoutbox):
    enter_eligible_server_and_enqueue_articles(make_server(team, "provoking"), training)
    call = Call.objects.order_by("pk").first()
    Attempt.objects.create(call=call, server=call.server, number=1, outcome="our fault", message="Our error.")
    tasks.begin_or_end_phases_and_remind()
    assert mailoutbox == []
