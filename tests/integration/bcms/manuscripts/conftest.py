"""Fixtures that the tests of this folder share."""

import pytest

from servers.registry.models import Server
from tests.integration.article_cast import create_known_genes, live_queue
from tests.integration.manuscript_cast import make_journal, open_as, submit, use_token


@pytest.fixture
def journal(django_user_model):
    return make_journal(django_user_model.objects.create_user)


@pytest.fixture
def program(journal):
    return use_token(journal)


@pytest.fixture
def queues(team):
    """Alpha accepted the confidentiality terms, Beta did not, Gamma did but receives PMIDs."""
    queues = [live_queue(team, name) for name in ("Alpha", "Beta", "Gamma")]
    Server.objects.filter(slug__in=("alpha", "gamma")).update(confidential=True)
    Server.objects.filter(slug="gamma").update(send="pmid")
    return queues


@pytest.fixture
def submitted(program, queues):
    """The stored manuscript, and the answer with both links."""
    return submit(program, reference="E-1")


@pytest.fixture
def manuscript(submitted):
    return submitted[0]


@pytest.fixture
def finished_by_author(submitted):
    """The author has accepted one gene and finished."""
    manuscript, answer = submitted
    create_known_genes()
    author, page = open_as(answer["author_link"]), f"/curation/{manuscript.curation_id}/"
    author.get(page)
    fields = {"kind": "entity", "identifier": "uniprot:P12830", "action": "add", "seen": 0, "token": "token-0001"}
    author.post(f"{page}decide/", fields)
    author.post(f"{page}finish/", {"seen": 1})
    return manuscript


@pytest.fixture
def author(submitted):
    return open_as(submitted[1]["author_link"])


@pytest.fixture
def reviewer(submitted):
    return open_as(submitted[1]["reviewer_link"])
