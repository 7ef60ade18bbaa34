"""A few visitors of each scenario of the load tests: every kind of request is made and answered."""

import pytest

from tests.load.scenarios import SCENARIOS, play_stage
from tests.load.site import run_loaded_site
from tests.migrated_database import write_dump_once

pytestmark = pytest.mark.long

SIZES = {"abstracts": 20, "full_texts": 5, "runs": 3, "board_articles": 20}
FACTORS = {"phase": 0.12, "day": 0.03, "board": 0.01, "exports": 0.2}
SECONDS = 5
KINDS = {
    "phase": {"server", "server: poll", "attempts", "servers", "full text"},
    "day": {"article", "search", "servers", "home", "import", "have annotated"},
    "board": {"board", "board: poll"},
    "exports": {"export ndjson", "export bioc-xml", "export pubtator", "export parquet-annotations"},
}


@pytest.fixture(scope="module")
def site(tmp_path_factory, shared_folder):
    """A deployment of its own, because its servers are always called."""
    with run_loaded_site(tmp_path_factory.mktemp("load"), SIZES, write_dump_once(shared_folder)) as running:
        yield running


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_request_of_a_scenario_is_answered(site, name):
    stage = play_stage(site, SCENARIOS[name], FACTORS[name], SECONDS)

    assert stage.faults == {}
    assert stage.refused == {}
    assert set(stage.kinds) <= KINDS[name] | {f"{kind}: poll" for kind in KINDS[name]}
    assert stage.recovery is not None
    assert set(stage.memory) == {"web", "asking", "work", "PostgreSQL", "nginx, PgBouncer, Redis"}
