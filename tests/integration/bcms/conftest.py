"""Fixtures that the tests of this folder share."""

import pytest


@pytest.fixture
def api(client, alice, team):
    client.force_login(alice)
    return client
