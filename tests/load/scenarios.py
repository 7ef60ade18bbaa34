"""What happens at a site, and how its load is played."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.compose_file import ROOT
from tests.load.figures import Stage
from tests.load.site import LoadedSite

LOCUSTFILE = Path(__file__).with_name("locustfile.py")
SIZES = {"abstracts": 1000, "full_texts": 595, "runs": 60, "board_articles": 600}
# Visitors have come within so many seconds.
ARRIVAL_SECONDS = 10
# Locust waits that long for requests under way, and then it is a fault that they have no answer.
STOP_SECONDS = 60


@dataclass(frozen=True)
class Scenario:
    """visitors: numbers of the classes of locustfile.py at 1x; servers: of the test phase at 1x."""

    title: str
    visitors: Mapping[str, int]
    servers: int = 0


SCENARIOS = {
    "phase": Scenario("A test phase", {"TeamMember": 54}, servers=27),
    "day": Scenario("A public day", {"Reader": 200, "Importer": 5}),
    "board": Scenario("A leaderboard hour", {"BoardReader": 500}),
    "exports": Scenario("Bulk exports", {"Exporter": 10}),
}


def play_stage(site: LoadedSite, scenario: Scenario, factor: float, seconds: float) -> Stage:
    """Put the load on the site for so many seconds after all visitors have come, and wait until it has recovered."""
    if scenario.servers:
        site.begin_phase(max(1, round(scenario.servers * factor)))
    numbers = {name: max(1, round(number * factor)) for name, number in scenario.visitors.items()}
    # PMIDs that no stage had before.
    site.plan["next_pmid"] = site.plan["next_pmid"] + 10_000_000
    calls, began = site.count_calls(), time.monotonic()
    with site.measure_memory() as memory:
        summary = run_locust(site, numbers, seconds)
        ended = time.monotonic()
        answered = site.count_calls() - calls
        draining = time.time() - float(str(summary["ended"]))
        probing = site.wait_until_quick()
    recovery = None if probing is None else draining + probing
    rate = answered / (ended - began)
    return Stage(factor, sum(numbers.values()), summary, memory, rate, recovery, site.measure_database())


def run_locust(site: LoadedSite, numbers: Mapping[str, int], seconds: float) -> dict[str, object]:
    """Run locust in its own process; returns the summary of locustfile.py."""
    folder = site.deployment.folder
    plan, summary = folder / "plan.json", folder / "summary.json"
    plan.write_text(json.dumps({**site.plan, "numbers": numbers}))
    summary.unlink(missing_ok=True)
    users = sum(numbers.values())
    rate = max(1, users / ARRIVAL_SECONDS)
    options = ["-u", str(users), "-r", str(rate), "-t", f"{ARRIVAL_SECONDS + seconds:g}s", "-s", str(STOP_SECONDS)]
    command = [sys.executable, "-m", "locust", "--headless", "-f", str(LOCUSTFILE), *options, "--loglevel", "WARNING"]
    environment = {**os.environ, "LOAD_PLAN": str(plan), "LOAD_SUMMARY": str(summary)}
    given = [*command, "--only-summary", "--exit-code-on-error", "0", *numbers]
    finished = subprocess.run(given, cwd=ROOT, env=environment, capture_output=True, text=True)
    if finished.returncode or not summary.exists():
        raise RuntimeError(f"locust: {finished.stderr[-3000:]}")
    return dict(json.loads(summary.read_text()))
