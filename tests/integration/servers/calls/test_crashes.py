"""Whoever is killed, at whatever moment: nothing is lost, nothing is stored twice, and the work goes on by itself.

A site of its own, on a real PostgreSQL and a real broker, is struck nine times while servers of three protocols are
asked (tests/crashes). The counts in the database and at the annotation servers are the proof.
"""

import json
import os
import subprocess
import sys

import pytest

from bcms.local.process_commands import ROOT

# As other tests with sites of their own, so that none is slowed down by another.
pytestmark = pytest.mark.long

LEASE_SECONDS = 3
BLOWS = 9


@pytest.fixture(scope="module")
def struck():
    """What was counted after all blows."""
    command = [sys.executable, "-m", "tests.crashes", "--blows", str(BLOWS), "--servers", "6", "--seconds", "0.3"]
    env = {**os.environ, "LEASE_SECONDS": str(LEASE_SECONDS)}
    done = subprocess.run(
        [*command, "--articles", "2000"], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    return json.loads(done.stdout.splitlines()[-1])


def test_it_loses_nothing(struck):
    assert struck["answered"] > 100
    assert struck["lost"] == 0


def test_it_stores_nothing_twice(struck):
    assert struck["doubled"] == 0


def test_it_asks_no_server_twice_at_once(struck):
    assert struck["most_at_once"] == 1


def test_it_asks_again_only_for_what_was_cut_off_and_charges_no_try(struck):
    assert (struck["unexplained"], struck["charged"]) == (0, 0)
    assert set(struck["outcomes"]) <= {"answered", "lost"}
    assert struck["asked_again"] <= struck["cut_off"]


def test_no_request_is_in_flight_at_the_end(struck):
    assert struck["left"] == 0


def test_it_goes_on_by_itself_after_each_blow(struck):
    # A round ends with an error unless every server answers again. `make crashes` prints after how many seconds.
    assert len(struck["longest"]) == BLOWS
