"""Strike a site again and again while its servers are asked, and count what was lost, stored twice or asked again.

    python -m tests.crashes --blows 50 --servers 20 --seconds 2 --seed 1

LEASE_SECONDS in the environment sets the lease of the workers. Prints one line a blow, and the counts as JSON at last.
"""

import argparse
import json
import random
import tempfile
from dataclasses import asdict
from itertools import cycle, islice
from pathlib import Path

from tests.crashes.site import site


def main() -> None:
    given = arguments()
    with tempfile.TemporaryDirectory(prefix="bcms-crashes-") as folder, site(Path(folder)) as there:
        there.start_services({"SITE_URL": f"http://127.0.0.1:{there.web_port}"})
        import django

        django.setup()
        from tests.crashes.progress import wait_for_all
        from tests.crashes.rounds import Round

        told = Round.begin(there, given.servers, given.articles, given.seconds)
        there.start_processes()
        wait_for_all()
        longest: dict[str, float] = {}
        chance = random.Random(given.seed)
        for name in names_of_blows(given.blows, chance):
            seconds = told.strike(name, chance)
            longest[name] = max(longest.get(name, 0.0), round(seconds, 1))
            print(f"{name}: every server answered anew within {seconds:.1f} s", flush=True)
        told.end()
        print(json.dumps(asdict(told.figures(longest))), flush=True)


def names_of_blows(number: int, chance: random.Random) -> list[str]:
    from tests.crashes.blows import BLOWS

    names = list(islice(cycle(BLOWS), number))
    chance.shuffle(names)
    return names


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.crashes", description=__doc__)
    parser.add_argument("--blows", type=int, default=50)
    parser.add_argument("--servers", type=int, default=20)
    parser.add_argument("--articles", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=2.0, help="what a server takes for an article")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
