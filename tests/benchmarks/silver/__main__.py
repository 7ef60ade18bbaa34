"""The site with the silver standard at its real size: loading it, pages, searches, comparing, watching.

    python -m tests.benchmarks.silver FOLDER [--articles 22730] [--times 1]

22,730 real abstracts, thirteen producers, 1,659,219 mentions and 237,600 identifiers, the size that the first public
meta-server had (Leitner et al., Genome Biology 2008; 9(Suppl 2):S6), made by the reference annotators with variations.
They are made once, into FOLDER, by what `make silver` runs (bcms/silver). --times 10 loads the abstracts ten times,
nine of them under made-up ids, to show what stays constant; --articles 2000 takes the longest 2,000 abstracts and a
share of everything else. The aims: loading 3 minutes at most; an article's page 30 ms at the median and 80 ms at the
95th percentile; a search 150 ms at the 95th percentile; those of tests.benchmarks.watching.
"""

from pathlib import Path

from bcms.demo.data_archives import DemoFiles
from bcms.silver.annotation_files import write_annotation_files_unless_present
from bcms.silver.variants import ABSTRACTS
from tests.benchmarks.archives import get_archives
from tests.benchmarks.command_line import run_main
from tests.benchmarks.django_setup import set_up_empty_site


def main(
    folder: Path,
    articles: int = ABSTRACTS,
    times: int = 1,
    archives: str = "",
    sample: int = 40,
    watchers: int = 200,
    seconds: float = 20.0,
    visits: int = 10,
) -> None:
    """folder: where the annotations are kept; times: how often each abstract is loaded; watchers: 0 for none"""
    files, kept = get_archives(archives), folder / str(articles)
    write_annotation_files_unless_present(files, kept, articles)
    with set_up_empty_site():
        measure_parts(files, kept, times, sample, watchers, seconds, visits)


def measure_parts(
    files: DemoFiles, folder: Path, times: int, sample: int, watchers: int, seconds: float, visits: int
) -> None:
    from tests.benchmarks import article_page, comparing, searching, watching
    from tests.benchmarks.silver.loading import load_silver_standard

    print(f"== loading, each abstract {times} times" if times > 1 else "== loading")
    load_silver_standard(files, folder, times)
    print("== searching")
    searching.measure_searches(sample=sample)
    print("== article page")
    article_page.measure_stored_articles(sample * 7)
    print("== comparing")
    comparing.measure_comparisons()
    if not watchers:
        return
    print("== watching")
    watching.measure_readers(watchers, seconds, visits)


if __name__ == "__main__":
    run_main(main)
