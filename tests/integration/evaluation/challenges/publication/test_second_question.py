"""What cannot be undone asks a second question, which the server checks."""

import pytest

from evaluation.challenges.models import Phase
from tests.integration.evaluation_cast import make_challenge, make_corpus

pytestmark = pytest.mark.django_db
PHASE = "/challenges/example/phases/training/"


@pytest.fixture
def organizer(client, olga):
    make_challenge(olga, make_corpus())
    client.force_login(olga)
    return client


@pytest.mark.parametrize("path", [f"{PHASE}publish/", f"{PHASE}publish/ACT/", f"{PHASE}remove/", "tasks/TX/remove/"])
def test_it_changes_nothing_until_the_box_is_ticked(organizer, path):
    path = path if path.startswith("/") else f"/challenges/example/{path}"
    asked = organizer.post(path)
    assert (asked.status_code, "This cannot be undone." in asked.content.decode()) == (200, True)
    unticked = organizer.post(path, {"asked": "1"})
    assert (unticked.status_code, "Tick the box to go on" in unticked.content.decode()) == (422, True)
    phase = Phase.objects.get()
    assert (phase.published, phase.golds.filter(published__isnull=True).count()) == (None, 2)
    assert organizer.post(path, {"asked": "1", "confirm": "on"}).status_code == 302
    assert Phase.objects.filter(published__isnull=True, golds__published__isnull=True).count() != 2


def test_it_says_what_everybody_will_see(organizer):
    text = organizer.post(f"{PHASE}publish/").content.decode()
    assert "Everybody sees the leaderboards and gold standards of ACT and TX." in text
    assert "Everybody sees the annotations of 0 runs" in text
    task = organizer.post(f"{PHASE}publish/ACT/").content.decode()
    assert "Everybody sees the leaderboard of ACT with 0 runs, and its gold standard." in task
