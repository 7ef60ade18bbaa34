"""A site that loses its database, its disk or its broker, or finds messages that nobody can read, goes on by itself.

These are some of the faults of docs/operations.md, "When parts fail"; `make faults` tries all of them.
"""

import json
import os
import re
import subprocess
import sys

import pytest

from bcms.local.process_commands import ROOT
from tests.deployment.programs import require_programs

pytestmark = pytest.mark.long

PAGES = {
    "database stopped": {"503"},
    "disk of the database full": {"200", "503"},
    "broker stopped": {"200"},
    "messages in the broker that no worker can read": {"200"},
}
NO_NAMESPACE = "not tried, because this needs root and a mount namespace of its own"


@pytest.fixture(scope="module")
def output():
    """What `make faults` prints of these faults."""
    require_programs("faketime")
    namespace = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    if os.geteuid() or namespace.returncode:
        pytest.skip(NO_NAMESPACE)
    command = [sys.executable, "-m", "tests.faults", "--articles", "2000", *PAGES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    return done.stdout


def test_pages_are_shown_or_say_that_the_site_is_away(output):
    # It ends with an error unless all servers are called again after each fault.
    rows = [line.strip("| ").split(" | ") for line in output.splitlines() if line.startswith("| ")][1:]
    statuses = {row[0]: set(re.findall(r"x (\w+)", row[4])) for row in rows}
    assert statuses.keys() == PAGES.keys()
    assert {name: seen - PAGES[name] for name, seen in statuses.items()} == {name: set() for name in PAGES}


def test_nothing_is_lost_or_stored_twice(output):
    figures = json.loads(output.splitlines()[-1])
    assert figures["answered"] > 100
    assert (figures["lost"], figures["doubled"]) == (0, 0)
