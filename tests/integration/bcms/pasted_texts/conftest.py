"""Carol pastes texts; Team Alpha's server, and another, take them and answer at once."""

import pytest
from django.test import Client
from django.urls import reverse

from servers.calls import loop
from servers.calls.leases.heartbeat import lease_heartbeat
from servers.pasted_texts.models import PastedText
from servers.registry.models import Server
from tests.annotator import Annotator
from tests.integration.pasted_text_cast import MENTION, TEXT, TITLE, receive_texts


@pytest.fixture(autouse=True)
def unwatched_leases(monkeypatch):
    """The thread that renews leases every five seconds does not see what a test has not committed: it would take the
    lease for lost, and abort the call.
    """
    monkeypatch.setattr(lease_heartbeat, "renew_or_abort", lambda: None)


@pytest.fixture
def annotator():
    with Annotator(lambda sent: {"mentions": [MENTION]}) as annotator:
        yield annotator


@pytest.fixture
def receiving(server, annotator):
    """GeneDict, of alice's team."""
    return receive_texts(server, url=annotator.url)


@pytest.fixture
def second(receiving, team):
    """Another server of the team."""
    fields = {"review": "accepted", "team": team, "name": "SpeciesDict", "slug": "speciesdict"}
    return receive_texts(Server.objects.create(url=receiving.url, kinds=["taxon"], **fields))


@pytest.fixture
def as_carol(carol):
    client = Client()
    client.force_login(carol)
    return client


@pytest.fixture
def send(as_carol, receiving):
    """Send carol's text to servers; returns the response."""

    def send(*servers: str, **changes: object):
        fields = {"title": TITLE, "text": TEXT, "servers": servers or ("genedict",)} | changes
        return as_carol.post(reverse("annotate"), fields)

    return send


@pytest.fixture
def pasted(send) -> PastedText:
    """Carol's text, which no server has got yet."""
    assert send().status_code == 302
    return PastedText.objects.get()


@pytest.fixture
def annotated(pasted, receiving) -> PastedText:
    """Carol's text with the answer of GeneDict."""
    loop.run_slices_if_slot_and_lease_free(receiving.pk)
    return pasted
