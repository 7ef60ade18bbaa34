"""Fixtures that the tests of this folder share."""

import pytest

from evaluation.challenges.setup import creation
from tests.integration.evaluation_cast import make_corpus, make_server


@pytest.fixture
def training(challenge):
    """The training phase of the challenge."""
    return challenge.phases.get(sort="training")


@pytest.fixture
def reader(team):
    """A second server of the team."""
    return make_server(team, "reader")


@pytest.fixture
def testing(challenge):
    """A test phase over a blind corpus."""
    return creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True)
    )
