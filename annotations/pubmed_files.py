"""Whole files of PubMed, its baseline and its daily updates, each imported once: what is finished is known by its name
and checksum and left alone, and what broke off goes on behind the records that are known to be stored.
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

from annotations.citation_storing import ImportCounts
from annotations.formats.errors import FormatError
from annotations.formats.pubmed import BROKEN_ARCHIVE, read_citations
from annotations.importing import Progress, import_ahead
from annotations.models import ImportedFile

# The advisory lock under which files of PubMed are imported: two at once would store the same twice.
FILES_LOCK = 20_100_310
ENDINGS = (".xml", ".xml.gz")
# PubMed lays `MD5(pubmed26n0001.xml.gz)= 0123...` beside each file; md5sum writes `0123...  pubmed26n0001.xml.gz`.
MD5 = re.compile(r"\b[0-9a-f]{32}\b")


@dataclass(frozen=True, slots=True)
class FileImport:
    """What came of one file: counts of this time, how many of its records were stored before, and whether it had been
    finished before, so that nothing was done."""

    counts: ImportCounts
    before: int = 0
    known: bool = False


def files_in(paths: Iterable[Path]) -> list[Path]:
    """The files of PubMed that are named, or lie in the folders that are named, by their names: baseline before updates
    and each update before the next, as PubMed numbers them. OSError when there is no such file or folder."""
    found: set[Path] = set()
    for path in paths:
        path.stat()
        inside = path.iterdir() if path.is_dir() else [path]
        found |= {each for each in inside if not path.is_dir() or each.name.endswith(ENDINGS)}
    return sorted(found, key=lambda path: (path.name, path))


def import_once(path: Path, stream: BinaryIO, progress: Progress | None = None) -> FileImport:
    """Import what is not imported yet of a file, which is open as stream.

    ImportStoppedError as import_citations() raises it; FormatError (R401) when the file is not what the checksum beside
    it says, and then nothing of it is stored.
    """
    imported = _imported(path.name, _checksum(path, stream))
    if imported.finished is not None:
        return FileImport(ImportCounts(), imported.records, known=True)
    records = islice(read_citations(stream, path.name), imported.records, None)
    row = ImportedFile.objects.filter(pk=imported.pk)

    def note(number: int) -> None:
        row.update(records=F("records") + number)

    counts = import_ahead(records, progress, note)
    row.update(finished=timezone.now())
    return FileImport(counts, imported.records)


def _imported(name: str, checksum: str) -> ImportedFile:
    """How far this file is imported; one with another content under its name is a new one."""
    imported, new = ImportedFile.objects.get_or_create(name=name, defaults={"checksum": checksum})
    if not new and imported.checksum != checksum:
        imported.checksum, imported.records, imported.finished = checksum, 0, None
        imported.save()
    return imported


def _checksum(path: Path, stream: BinaryIO) -> str:
    """SHA-256 of the stream, which is rewound; FormatError when PubMed's own checksum beside it is another."""
    own = hashlib.sha256()
    given = _given(path)
    theirs = hashlib.md5(usedforsecurity=False)
    while piece := stream.read(1 << 20):
        own.update(piece)
        if given:
            theirs.update(piece)
    stream.seek(0)
    if given and theirs.hexdigest() not in given:
        message = f"its checksum is not the one in {path.name}.md5 - fetch the file again"
        raise FormatError(path.name, 0, 0, BROKEN_ARCHIVE, message)
    return own.hexdigest()


def _given(path: Path) -> Sequence[str]:
    beside = path.with_name(f"{path.name}.md5")
    return MD5.findall(beside.read_text(encoding="ascii", errors="replace").lower()) if beside.is_file() else ()
