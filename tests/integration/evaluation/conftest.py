"""Fixtures that the tests of this folder share."""

import pytest

from tests.integration.evaluation_cast import make_challenge, make_corpus


@pytest.fixture
def phase(olga):
    """The training phase of a new challenge."""
    return make_challenge(olga, make_corpus()).phases.get()


@pytest.fixture
def organizer(client, olga):
    """A client that has logged in as organizer."""
    client.force_login(olga)
    return client
