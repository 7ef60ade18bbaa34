"""Fixtures that the tests of this folder share."""

import pytest


@pytest.fixture
def act(challenge):
    return challenge.tasks.get(name="ACT")


@pytest.fixture
def tx(challenge):
    return challenge.tasks.get(name="TX")
