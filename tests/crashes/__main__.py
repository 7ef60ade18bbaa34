"""Kill parts of a site again and again while its servers are called, and count results lost or stored twice.

    python -m tests.crashes --blows 50 --servers 20 --seconds 2 --seed 1

LEASE_SECONDS in the environment sets the lease of the workers. Prints one line for each blow, and then the counts as
JSON. Fails if a result was lost or stored twice.
"""

import argparse
import json
import random
import sys
import tempfile
from dataclasses import asdict
from itertools import cycle, islice
from pathlib import Path

from tests.crashes.site import run_site


def main() -> None:
    options = parse_arguments()
    with tempfile.TemporaryDirectory(prefix="bcms-crashes-") as folder, run_site(Path(folder)) as site:
        site.start_services({"SITE_URL": f"http://127.0.0.1:{site.web_port}"})
        import django

        django.setup()
        from tests.crashes.progress import wait_for_new_answers
        from tests.crashes.rounds import Round

        crash_round = Round.begin(site, options.servers, options.articles, options.seconds)
        site.start_relays()
        site.start_processes()
        wait_for_new_answers()
        longest: dict[str, float] = {}
        chance = random.Random(options.seed)
        for name in list_blow_names(options.blows, chance):
            seconds = crash_round.strike(name, chance)
            longest[name] = max(longest.get(name, 0.0), round(seconds, 1))
            print(f"{name}: every server answered again within {seconds:.1f} s", flush=True)
        crash_round.end()
        figures = crash_round.count_figures(longest)
        print(json.dumps(asdict(figures)), flush=True)
        if figures.lost or figures.doubled:
            sys.exit(f"{figures.lost} results were lost, {figures.doubled} were stored twice.")


def list_blow_names(number: int, chance: random.Random) -> list[str]:
    from tests.crashes.blows import BLOWS

    names = list(islice(cycle(BLOWS), number))
    chance.shuffle(names)
    return names


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.crashes", description=__doc__)
    parser.add_argument("--blows", type=int, default=50)
    parser.add_argument("--servers", type=int, default=20)
    parser.add_argument("--articles", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=2.0, help="of a server for an article")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
