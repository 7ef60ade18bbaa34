"""What a valid gold standard of a task of any types should be looked at for: told to who uploads it, kept nowhere."""

import pytest
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluation.challenges.models import Phase
from evaluation.gold.models import GoldStandard
from tests.integration.open_task_cast import GOLD, make_open_challenge

pytestmark = pytest.mark.django_db
# A value that the qualifier novelty does not have.
ODD_GOLD = GOLD.replace(b"\tNovel", b"\tPerhaps")
API = "/api/v1/challenges/open-tasks/"


@pytest.fixture
def challenge(client, olga):
    challenge, _ = make_open_challenge(olga, ["CID"])
    client.force_login(olga)
    return challenge


def upload_on_page(client, challenge, content):
    fields = {"task": challenge.tasks.get().pk, "phase": challenge.phases.get().pk, "source": ""}
    return client.post("/challenges/open-tasks/gold/", {**fields, "file": SimpleUploadedFile("gold.txt", content)})


@pytest.mark.parametrize("sort", [Phase.Type.TRAINING, Phase.Type.TEST])
def test_the_page_lists_them_with_the_stored_gold_standard(client, challenge, sort):
    challenge.phases.update(sort=sort)
    response = upload_on_page(client, challenge, ODD_GOLD)
    page = response.content.decode()
    assert response.status_code == 200
    assert "1 warning" in page and "R131" in page and "Perhaps" in page
    assert "The gold standard of " in page
    assert (GoldStandard.objects.get().producer is None) is (sort == Phase.Type.TEST)
    assert not any("Perhaps" in str(session.get_decoded()) for session in Session.objects.all())
    assert "Perhaps" not in client.get("/challenges/open-tasks/organize/").content.decode()


def test_the_page_goes_on_without_any(client, challenge):
    assert upload_on_page(client, challenge, GOLD).url == "/challenges/open-tasks/organize/"


def test_rest_lists_them(client, challenge):
    sent = {"file": SimpleUploadedFile("gold.txt", ODD_GOLD)}
    stored = client.post(f"{API}phases/training/gold/CID/", sent).json()
    [warning] = stored["warnings"]
    assert (warning["rule"], warning["line"] > 0) == ("R131", True)


@pytest.mark.parametrize("address", ["/challenges/open-tasks/by-hand/", f"{API}by-hand/"])
def test_manual_annotations_list_them_as_well(client, challenge, address):
    named = {"sort": "author", "who": "Authors", "corpus": "open", "task": "CID"}
    sent = {"file": SimpleUploadedFile("gold.txt", ODD_GOLD), **named}
    assert b"R131" in client.post(address, sent).content
