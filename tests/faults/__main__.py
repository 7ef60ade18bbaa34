"""Let a site meet one fault after the other while its servers are called, and print what was seen.

    python -m tests.faults [--servers 6] [FAULT ...]

Needs root and Debian's faketime. Prints a table in Markdown and then the counts of the whole run as JSON. Fails if a
result was lost or stored twice.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.faults.site import HOST, FaultySite, run_faulty_site
from tests.faults.visitors import Visitor, Visits

# This process runs in a mount namespace of its own.
INSIDE = "BCMS_FAULTS_INSIDE"
SECONDS_BEFORE = 8
HEADINGS = ("fault", "seconds", "calls a second before", "during it", "pages", "slowest", "all servers answered after")


@dataclass(frozen=True)
class Seen:
    """What was seen of one fault; rates in calls a second, times in seconds. after: from its end."""

    fault: str
    seconds: float
    before: float
    during: float
    visits: Visits
    after: float

    def cells(self) -> list[str]:
        pages = ", ".join(f"{number} x {status}" for status, number in sorted(self.visits.statuses.items()))
        figures = (f"{self.seconds:.0f}", f"{self.before:.1f}", f"{self.during:.1f}")
        return [self.fault, *figures, pages, f"{self.visits.slowest:.1f} s", f"{self.after:.0f} s"]


def main() -> None:
    options = parse_arguments()
    if INSIDE not in os.environ:
        command = ["unshare", "--mount", "--propagation", "private", sys.executable, "-m", "tests.faults"]
        os.execvpe("unshare", [*command, *sys.argv[1:]], {**os.environ, INSIDE: "1"})
    prefix = "bcms-faults-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir="/var/tmp") as folder, run_faulty_site(Path(folder)) as site:
        run_faults(site, options)


def run_faults(site: FaultySite, options: argparse.Namespace) -> None:
    site.start_all_services()
    import django

    django.setup()
    from servers.registry.models import Server
    from tests.crashes.progress import wait_for_new_answers
    from tests.crashes.rounds import Round
    from tests.faults.faults import FAULTS

    calls = Round.begin(site, options.servers, options.articles, options.seconds)
    for server in Server.objects.all():
        Server.objects.filter(pk=server.pk).update(url=server.url.replace("127.0.0.1", HOST))
    site.start_processes()
    wait_for_new_answers()
    visitor = Visitor(site.url)
    print("| " + " | ".join(HEADINGS) + " |\n|" + "---|" * len(HEADINGS), flush=True)
    for name in options.faults or FAULTS:
        seen = meet_fault(site, calls, visitor, name)
        print("| " + " | ".join(seen.cells()) + " |", flush=True)
    visitor.stop()
    calls.end()
    figures = calls.count_figures({})
    print(json.dumps(asdict(figures)), flush=True)
    if figures.lost or figures.doubled:
        sys.exit(f"{figures.lost} results were lost, {figures.doubled} were stored twice.")


def meet_fault(site, calls, visitor: Visitor, name: str) -> Seen:
    from django.db import connection

    from tests.crashes.progress import wait_for_new_answers
    from tests.faults.faults import FAULTS

    fault = FAULTS[name]
    before = count_requests_a_second(calls, SECONDS_BEFORE)
    connection.close()
    visitor.take_visits()
    fault.begin(site)
    during = count_requests_a_second(calls, fault.seconds)
    fault.end(site)
    visits = visitor.take_visits()
    return Seen(name, fault.seconds, before, during, visits, wait_for_new_answers())


def count_requests_a_second(calls, seconds: float) -> float:
    """Articles with which annotation servers were asked."""
    began = sum(annotator.counts.requests.total() for annotator in calls.annotators.values())
    time.sleep(seconds)
    return (sum(annotator.counts.requests.total() for annotator in calls.annotators.values()) - began) / seconds


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--servers", type=int, default=6)
    parser.add_argument("--articles", type=int, default=4000)
    parser.add_argument("--seconds", type=float, default=0.3, help="of a server for an article")
    parser.add_argument("faults", nargs="*", metavar="FAULT")
    return parser.parse_args()


if __name__ == "__main__":
    main()
