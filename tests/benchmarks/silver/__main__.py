"""The site with the silver standard at its real size: loading it, pages, searches, comparing, watching.

    python -m tests.benchmarks.silver FOLDER [--articles 22730] [--times 1]

22,730 real abstracts, thirteen producers, 1,659,219 mentions and 237,600 identifiers, the size that the first public
meta-server had (Leitner et al., Genome Biology 2008; 9(Suppl 2):S6), made by the reference annotators with variations.
They are made once, into FOLDER. --times 10 loads the abstracts ten times, nine of them under made-up ids, to show what
stays flat; --articles 2000 takes the longest 2,000 abstracts and as much less of everything. Works on services of its
own. The aims: loading 3 minutes at most; an article's page 30 ms at the median and 80 ms at the 95th percentile; a
search 150 ms at the 95th percentile; what tests.benchmarks.watching aims at.
"""

import argparse
from pathlib import Path

from bcms.demo.data_archives import fetch_demo_files
from tests.benchmarks.silver.making import made, make
from tests.benchmarks.silver.producers import ABSTRACTS
from tests.benchmarks.workers import django_on_services


def parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(prog="python -m tests.benchmarks.silver", description=__doc__)
    command.add_argument("folder", type=Path, help="where the findings are kept")
    command.add_argument("--articles", type=int, default=ABSTRACTS)
    command.add_argument("--times", type=int, default=1, help="how often each abstract is loaded")
    return command


def main() -> None:
    options = parser().parse_args()
    archives, folder = fetch_demo_files(), options.folder / str(options.articles)
    if not made(folder):
        print("Making the findings, once", flush=True)
        make(archives, folder, options.articles)
    with django_on_services():
        measure(archives, folder, options.times)


def measure(archives, folder: Path, times: int) -> None:
    from django.test.utils import setup_test_environment

    from tests.benchmarks import article_page, comparing, searching, watching
    from tests.benchmarks.silver.loading import load

    print(f"== loading, each abstract {times} times" if times > 1 else "== loading")
    load(archives, folder, times)
    # The client tells what a page was made of only then.
    setup_test_environment()
    print("== searching")
    searching.run()
    print("== article page")
    article_page.of_some()
    print("== comparing")
    comparing.run()
    print("== watching")
    watching.run()


if __name__ == "__main__":
    main()
