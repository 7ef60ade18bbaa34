"""How long importing PubMed files takes, how much memory, and how that compares with parsing their XML alone:
python -m tests.benchmarks.import_citations [FILE ...]

Without files, 30,000 citations are made of the real ones among the shared samples, repeated under made-up PMIDs, and
imported twice: the second time, nothing changes.
"""

import gzip
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site
from tests.shared_data import FOLDER

RATE, MEGABYTES, SHARE = 30_000, 300, 0.4


def write_citations(path: Path, number: int) -> Path:
    """A file as PubMed makes them, of real records under PMIDs that follow each other."""
    samples = sorted((FOLDER / "samples" / "pubmed_xml").glob("[0-9]*.xml"))
    records = [record for sample in samples for record in iter_records(sample)]
    if not records:
        sys.exit(f"Name the PubMed XML files to import: there are no samples in {FOLDER}.")
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write("<PubmedArticleSet>")
        for index in range(number):
            record = records[index % len(records)]
            stream.write(re.sub(r"(<PMID[^>]*>)[0-9]+", rf"\g<1>{90_000_000 + index}", record, count=1))
        stream.write("</PubmedArticleSet>")
    print(f"{number:,} citations made of {len(records)} real ones, {path.stat().st_size / 2**20:.0f} MB gzipped")
    return path


def iter_records(sample: Path) -> Iterator[str]:
    yield from re.findall(r"<PubmedArticle>.*?</PubmedArticle>", sample.read_text(encoding="utf-8"), re.DOTALL)


def measure_parsing(path: Path) -> float:
    """Seconds that lxml takes to parse the file, record by record in constant memory, without reading anything."""
    start = time.perf_counter()
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
        for _, element in etree.iterparse(stream, tag="PubmedArticle", load_dtd=False):
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    return time.perf_counter() - start


def measure_import(path: Path) -> tuple[float, int]:
    """Seconds, and the number of citations stored."""
    from annotations.articles.imports.citation_import import import_citation_file

    start = time.perf_counter()
    counts = import_citation_file(path)
    seconds = time.perf_counter() - start
    print(f"{path.name}: {counts}, {seconds:.1f} s")
    return seconds, counts.stored


def measure_file(path: Path) -> None:
    parsing = min(measure_parsing(path) for _ in range(2))
    seconds, stored = measure_import(path)
    again, _ = measure_import(path)
    print(f"parsing the XML alone: {parsing:.1f} s")
    print_ratio(f"speed of importing / of parsing the XML alone (at least {SHARE} is required)", parsing, seconds)
    print_ratio("speed of importing once more / of parsing the XML alone", parsing, again)
    print(f"{stored / seconds * 60:,.0f} citations a minute ({RATE:,} are required)")


def main(*files: Path, citations: int = 30_000) -> None:
    with set_up_empty_site(), tempfile.TemporaryDirectory() as folder:
        for path in files or [write_citations(Path(folder) / "pubmed26n0001.xml.gz", citations)]:
            measure_file(path)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak {peak:.0f} MB (at most {MEGABYTES} are allowed)")


if __name__ == "__main__":
    run_main(main)
