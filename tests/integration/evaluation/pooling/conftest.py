"""Fixtures that the tests of this folder share."""

import pytest

from tests.integration import pooling_cast as cast


@pytest.fixture
def both(team, phase):
    return cast.first_run(team, phase), cast.second_run(team, phase)


@pytest.fixture
def pool(both, phase, judges):
    return cast.make_pool(phase, *judges)
