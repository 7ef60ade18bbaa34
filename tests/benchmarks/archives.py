"""The demo's input files: downloaded once, or those of a folder."""

from collections.abc import Iterator
from pathlib import Path

from annotations.formats.pubmed.reader import Citation, iter_citations_and_deletions
from bcms.demo.data_archives import DemoFiles, download_and_unpack_missing_demo_files

# In the order of the fields of DemoFiles.
FILE_NAMES = ("older.xml.gz", "newer.xml.gz", "hgnc.tsv", "mgi.tsv", "rgd.tsv")


def get_archives(folder: str) -> DemoFiles:
    """The files with the names above in this folder, or those of the demo if it is empty."""
    return (
        DemoFiles(*(Path(folder) / name for name in FILE_NAMES)) if folder else download_and_unpack_missing_demo_files()
    )


def iter_abstracts(path: Path) -> Iterator[Citation]:
    """The citations of a file that have an abstract."""
    with path.open("rb") as stream:
        for record in iter_citations_and_deletions(stream, path.name):
            if isinstance(record, Citation) and record.abstract:
                yield record
