"""How long importing PubMed files takes, how much memory, and how that compares with parsing their XML alone, in one
run: python -m tests.benchmarks.import_citations [FILE ...]

Without files, 30,000 citations are made of the real ones among the shared samples, repeated under made-up PMIDs, and
imported twice: the second time, nothing changes. A fresh database from the services' wheels, or the empty one that
DATABASE_URL names.
"""

import gzip
import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import django
from django.core.management import call_command
from lxml import etree

from bcms.local import services
from tests.shared_data import FOLDER

CITATIONS = 30_000
A_MINUTE, MEGABYTES, SHARE = 30_000, 300, 0.3


def made_up(path: Path) -> Path:
    """A file as PubMed makes them, of real records under PMIDs that follow each other."""
    samples = sorted((FOLDER / "samples" / "pubmed_xml").glob("[0-9]*.xml"))
    records = [record for sample in samples for record in records_of(sample)]
    if not records:
        sys.exit(f"Name the PubMed XML files to import: there are no samples in {FOLDER}.")
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write("<PubmedArticleSet>")
        for number in range(CITATIONS):
            record = records[number % len(records)]
            stream.write(re.sub(r"(<PMID[^>]*>)[0-9]+", rf"\g<1>{90_000_000 + number}", record, count=1))
        stream.write("</PubmedArticleSet>")
    print(f"{CITATIONS:,} citations made of {len(records)} real ones, {path.stat().st_size / 2**20:.0f} MB gzipped")
    return path


def records_of(sample: Path) -> Iterator[str]:
    yield from re.findall(r"<PubmedArticle>.*?</PubmedArticle>", sample.read_text(encoding="utf-8"), re.DOTALL)


def parse_alone(path: Path) -> float:
    """Seconds that lxml takes to parse the file, record by record in constant memory, without looking at anything."""
    begun = time.perf_counter()
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
        for _, element in etree.iterparse(stream, tag="PubmedArticle", load_dtd=False):
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    return time.perf_counter() - begun


def import_again(path: Path) -> tuple[float, int]:
    from annotations.articles.imports.citation_import import import_citation_file

    begun = time.perf_counter()
    counts = import_citation_file(path)
    seconds = time.perf_counter() - begun
    print(f"{path.name}: {counts}, {seconds:.1f} s")
    return seconds, counts.stored


def report(paths: list[Path]) -> None:
    for path in paths:
        alone = min(parse_alone(path) for _ in range(2))
        seconds, stored = import_again(path)
        again, _ = import_again(path)
        print(f"parsing the XML alone: {alone:.1f} s; importing has {alone / seconds:.2f} of that speed", end="")
        print(f" (at least {SHARE} is wanted), importing once more {alone / again:.2f}")
        print(f"{stored / seconds * 60:,.0f} citations a minute ({A_MINUTE:,} are wanted)")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak {peak:.0f} MB (at most {MEGABYTES} are wanted)")


def main(arguments: list[str]) -> None:
    with services.run_temporary_services() as environment, tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("SECRET_KEY", "only-for-benchmarks")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
        os.environ.update(environment)
        django.setup()
        call_command("migrate", verbosity=0)
        report([Path(argument) for argument in arguments] or [made_up(Path(folder) / "pubmed26n0001.xml.gz")])


if __name__ == "__main__":
    main(sys.argv[1:])
