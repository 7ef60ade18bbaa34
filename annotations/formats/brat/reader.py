"""Reads brat standoff: a zip archive with a .txt and an .ann file of the same name for each article.

Positions count code points of the text. annotation.conf says which relations have no direction.
Source: https://brat.nlplab.org/standoff.html
"""

import re
from pathlib import PurePosixPath
from typing import BinaryIO

from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.brat.documents import BratCollector, BratDocument
from annotations.formats.errors import FormatError, RefusedFileError, quote_file_text
from annotations.formats.zip.reader import ZipArchiveReader

LONE_FILE = "R671"
SYMMETRIC_TYPE = re.compile(r"^[ \t]*([^\s#!\[]+)[ \t].*<REL-TYPE>:[^\s,]*symmetric", re.MULTILINE)
CONFIGURATION_FILE = "annotation.conf"


def read_brat_into_collector(stream: BinaryIO, collector: BratCollector) -> AnnotatedTextFile:
    """The content of a seekable stream of brat standoff.

    RefusedFileError with all faults (R401, R448, R651, R654, R655, R658, R659, R668, R671 to R674).
    """
    try:
        _BratArchiveReader(ZipArchiveReader(stream, collector.source), collector).read_documents()
    except FormatError as error:
        raise RefusedFileError([*collector.faults.list_faults(), error]) from None
    return collector.finish()


class _BratArchiveReader:
    """Reads the pairs of files of an archive."""

    def __init__(self, archive: ZipArchiveReader, collector: BratCollector) -> None:
        self.archive, self.collector = archive, collector

    def read_documents(self) -> None:
        symmetric = self.find_symmetric_types()
        stems = self.list_stems(".ann")
        for stem in stems:
            if f"{stem}.txt" not in self.archive.members:
                problem = f"there is no text {quote_file_text(f'{stem}.txt')} for {quote_file_text(f'{stem}.ann')}"
                self.collector.enter_file("")
                self.collector.faults.add(LONE_FILE, 0, 0, f"{problem} - add it to the archive")
                continue
            text = self.read_text(f"{stem}.txt")
            standoff = self.read_text(f"{stem}.ann").removeprefix("\ufeff")
            self.collector.add_document(BratDocument(PurePosixPath(stem).name, text, standoff, symmetric))
        self.collector.enter_file("")
        for stem in set(self.list_stems(".txt")).difference(stems):
            problem = f"there are no annotations {quote_file_text(f'{stem}.ann')}, so the text is skipped"
            self.collector.warnings.add(LONE_FILE, 0, 0, f"{problem} - add an empty file of this name to read it")

    def list_stems(self, suffix: str) -> dict[str, None]:
        """The paths of the files with a suffix, without it."""
        return {name.removesuffix(suffix): None for name in self.archive.members if name.endswith(suffix)}

    def find_symmetric_types(self) -> frozenset[str]:
        """The types of relations without direction in any configuration of the archive."""
        names = [name for name in self.archive.members if PurePosixPath(name).name == CONFIGURATION_FILE]
        return frozenset(match[1] for name in names for match in SYMMETRIC_TYPE.finditer(self.read_text(name)))

    def read_text(self, name: str) -> str:
        """The text of a file, whose faults are noted from now on; bytes that are not UTF-8 are noted (R651)."""
        self.collector.enter_file(name)
        content = self.archive.read_member(name)
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            column = len(content[content.rfind(b"\n", 0, error.start) + 1 : error.start].decode()) + 1
            self.collector.faults.add("R651", line, column, "this byte is not UTF-8 - save the file as UTF-8 text")
            return content.decode("utf-8", "replace")
