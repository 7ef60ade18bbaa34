"""Fixtures that the tests of this folder share."""

import pytest


@pytest.fixture
def as_alice(client, alice, team):
    """A client that has logged in as manager of the team."""
    client.force_login(alice)
    return client
