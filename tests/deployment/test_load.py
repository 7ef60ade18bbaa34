"""A few visitors of each scenario of the load tests are answered, or refused as the manual says."""

import pytest

from tests.load.scenarios import SCENARIOS, play_stage
from tests.load.site import run_loaded_site
from tests.migrated_database import write_dump_once

pytestmark = pytest.mark.long

SIZES = {"abstracts": 20, "full_texts": 5, "runs": 3, "board_articles": 20}
FACTORS = {"phase": 0.12, "day": 0.03, "board": 0.01, "exports": 0.2}
SECONDS = 5
# What each of them asks for first.
FIRST = {"phase": "server", "day": "import", "board": "board", "exports": "export"}


@pytest.fixture(scope="module")
def site(tmp_path_factory, shared_folder):
    """A deployment of its own, because its servers are always called."""
    with run_loaded_site(tmp_path_factory.mktemp("load"), SIZES, write_dump_once(shared_folder)) as running:
        yield running


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_request_of_a_scenario_is_answered(site, name):
    stage = play_stage(site, SCENARIOS[name], FACTORS[name], SECONDS)

    # A busy machine may refuse some of them, which is no fault.
    assert stage.faults == {}
    assert [kind for kind in stage.kinds if kind.startswith(FIRST[name])]
    assert stage.recovery is not None
    assert set(stage.memory) == {"web", "asking", "work", "PostgreSQL", "nginx, PgBouncer, Redis"}
