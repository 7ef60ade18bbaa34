"""One running deployment, which the tests of this folder share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deployment.running import Deployment, prepare_deployment, wait_until
from tests.deployment.visitor import Visitor
from tests.migrated_database import write_dump_once


@pytest.fixture(scope="session")
def deployment(tmp_path_factory: pytest.TempPathFactory, shared_folder: Path) -> Iterator[Deployment]:
    """All services, with a team, its manager alice and a challenge."""
    folder = tmp_path_factory.mktemp("deployment")
    with prepare_deployment(folder, "initdb", "pgbouncer", "redis-server", "nginx", "curl", "prometheus") as running:
        running.start(write_dump_once(shared_folder))
        running.run("work-1", ["python", "-m", "tests.deployment.content"])
        wait_until(lambda: is_ready(running), "all parts work")
        yield running


def is_ready(running: Deployment) -> bool:
    return Visitor(running.url, running.certificate).get("/readyz").ok


@pytest.fixture(scope="session")
def manager(deployment: Deployment) -> Visitor:
    visitor = Visitor(deployment.url, deployment.certificate)
    visitor.log_in("alice")
    return visitor
