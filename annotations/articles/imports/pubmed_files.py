"""Import files of PubMed (its baseline and daily updates), each of them once.

A finished file is recognized by its name and checksum and skipped. An interrupted import resumes after the records that
are stored.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from django.db.models import F
from django.utils import timezone

from annotations.articles.imports.citation_import import ImportProgress, import_citations_in_parallel_batches
from annotations.articles.imports.citation_storage import ImportCounts
from annotations.articles.models import ImportedFile
from annotations.formats.errors import FormatError
from annotations.formats.pubmed.reader import BROKEN_ARCHIVE, iter_citations_and_deletions

# The number of the advisory lock for importing PubMed files: two imports at once would store records twice.
FILES_LOCK = 20_100_310
ENDINGS = (".xml", ".xml.gz")
# PubMed publishes `MD5(pubmed26n0001.xml.gz)= 0123...` with each file; md5sum writes `0123...  pubmed26n0001.xml.gz`.
MD5 = re.compile(r"\b[0-9a-f]{32}\b")


@dataclass(frozen=True, slots=True)
class FileImport:
    """The result of importing one file.

    counts: what this import did. stored_before: how many records of the file were stored before. was_finished: whether
    the file had been imported completely before, so that nothing was done.
    """

    counts: ImportCounts
    stored_before: int = 0
    was_finished: bool = False


def expand_folders_to_sorted_pubmed_files(files_and_folders: Iterable[Path]) -> list[Path]:
    """The given files, and the PubMed files in the given folders, sorted by name.

    By PubMed's numbering, the baseline comes before the updates and each update before the next. Raises OSError if a
    path does not exist.
    """
    files: set[Path] = set()
    for path in files_and_folders:
        path.stat()
        if path.is_dir():
            files |= {child for child in path.iterdir() if child.name.endswith(ENDINGS)}
        else:
            files.add(path)
    return sorted(files, key=lambda path: (path.name, path))


def import_remaining_pubmed_file_records(
    path: Path, stream: BinaryIO, progress: ImportProgress | None = None
) -> FileImport:
    """Import the records of a file, open as stream, that are not imported yet.

    Raises ImportStoppedError like import_citations_batch_by_batch(), and FormatError (R401), before anything is stored,
    if the file does not match the checksum next to it.
    """
    imported = _get_imported_file(path.name, _verify_checksum(path, stream))
    if imported.finished is not None:
        return FileImport(ImportCounts(), imported.records, was_finished=True)
    records = islice(iter_citations_and_deletions(stream, path.name), imported.records, None)
    row = ImportedFile.objects.filter(pk=imported.pk)

    def add_stored_records(number: int) -> None:
        row.update(records=F("records") + number)

    counts = import_citations_in_parallel_batches(records, progress, add_stored_records)
    row.update(finished=timezone.now())
    return FileImport(counts, imported.records)


def _get_imported_file(name: str, checksum: str) -> ImportedFile:
    """The import state of a file; it starts again if a file of the same name has other content."""
    imported, created = ImportedFile.objects.get_or_create(name=name, defaults={"checksum": checksum})
    if not created and imported.checksum != checksum:
        imported.checksum, imported.records, imported.finished = checksum, 0, None
        imported.save()
    return imported


def _verify_checksum(path: Path, stream: BinaryIO) -> str:
    """The SHA-256 of the stream, which is rewound. Raises FormatError if PubMed's MD5 file does not match it."""
    sha256 = hashlib.sha256()
    expected = _read_expected_checksums(path)
    md5 = hashlib.md5(usedforsecurity=False)
    while piece := stream.read(1 << 20):
        sha256.update(piece)
        if expected:
            md5.update(piece)
    stream.seek(0)
    if expected and md5.hexdigest() not in expected:
        message = f"its checksum differs from the one in {path.name}.md5 - download the file again"
        raise FormatError(path.name, 0, 0, BROKEN_ARCHIVE, message)
    return sha256.hexdigest()


def _read_expected_checksums(path: Path) -> Sequence[str]:
    checksum_file = path.with_name(f"{path.name}.md5")
    if not checksum_file.is_file():
        return ()
    return MD5.findall(checksum_file.read_text(encoding="ascii", errors="replace").lower())
