"""Put load on a deployment on this machine and print tables in Markdown.

python -m tests.load [--seconds 60] [--factors 1,3,10] [phase|day|board|exports ...]
"""

import argparse
import os
import platform
import tempfile
from pathlib import Path

import psutil

from tests.load.figures import Stage, format_kinds, format_table
from tests.load.scenarios import SCENARIOS, SIZES, play_stage
from tests.load.site import LoadedSite, run_loaded_site


def main() -> None:
    options = parse_arguments()
    # Not a folder in memory.
    with (
        tempfile.TemporaryDirectory(prefix="bcms-load-", dir="/var/tmp") as folder,
        run_loaded_site(Path(folder), SIZES) as site,
    ):
        print(describe_machine(), flush=True)
        for name in options.scenarios or SCENARIOS:
            play_scenario(site, name, options.seconds, [float(each) for each in options.factors.split(",")])


def play_scenario(site: LoadedSite, name: str, seconds: float, factors: list[float]) -> None:
    """Print a table of rising loads, until the site no longer holds and refuses or fails."""
    stages: list[Stage] = []
    scenario = SCENARIOS[name]
    for factor in factors:
        stages.append(play_stage(site, scenario, factor, seconds))
        print(f"{name} {factor:g}x: {' | '.join(stages[-1].cells())}", flush=True)
    print(f"\n#### {scenario.title}\n\n{format_table(stages)}\n\n{format_kinds(stages[0])}\n", flush=True)


def describe_machine() -> str:
    cores, gigabytes = os.cpu_count(), psutil.virtual_memory().total / 1e9
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{cores} processor cores, {gigabytes:.0f} GB of memory, {system}; the load comes from the same machine."


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="of each load, after all visitors have come")
    parser.add_argument("--factors", default="1,3,10", help="the loads, separated by commas")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", choices=[*SCENARIOS, []], default=[])
    return parser.parse_args()


if __name__ == "__main__":
    main()
