"""Import files of PubMed (baseline and daily updates), or all files in a folder, in the order of their names.

A file that was imported before is skipped, and an interrupted import resumes where it stopped. If PubMed's checksum
(.md5) is next to a file, it is verified first.
"""

from argparse import ArgumentParser
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError

from annotations.advisory_locks import try_advisory_lock
from annotations.articles.imports.citation_import import ImportProgress, ImportStoppedError
from annotations.articles.imports.citation_storage import ImportCounts
from annotations.articles.imports.pubmed_files import (
    FILES_LOCK,
    FileImport,
    expand_folders_to_sorted_pubmed_files,
    import_remaining_pubmed_file_records,
)
from annotations.formats.errors import FormatError
from annotations.management.commands.import_articles import format_import_counts
from bcms.lib.durations import format_estimated_duration

RESUME_HINT = "Run the same command again to resume."


class ImportEstimate:
    """Estimates the remaining time from the bytes read so far; sizes are those of all files."""

    def __init__(self, sizes: list[int]) -> None:
        self.remaining = sum(sizes)
        self.read = 0
        self.began = monotonic()

    def finish_file(self, size: int, skipped: bool) -> None:
        """Count a file of this size as done; one that was skipped does not count as read."""
        self.remaining -= size
        self.read += 0 if skipped else size

    def format_remaining(self, position: int = 0) -> str:
        """`25% read, about 3 min left`, where position is the number of bytes read of the current file."""
        read, remaining = self.read + position, self.remaining - position
        if not read or remaining <= 0:
            return ""
        seconds = (monotonic() - self.began) * remaining / read
        return f"{read / (read + remaining):.0%} read, {format_estimated_duration(seconds)} left"


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="FILE_OR_FOLDER", help="gzipped or not")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            files = {path: path.stat().st_size for path in expand_folders_to_sorted_pubmed_files(options["paths"])}
        except OSError as error:
            raise CommandError(f"Cannot read {error.filename}: {error.strerror}.") from error
        if not files:
            raise CommandError("There are no PubMed files. Their names end in .xml or .xml.gz.")
        with try_advisory_lock(FILES_LOCK) as acquired:
            if not acquired:
                raise CommandError("Another import of PubMed files is running. Wait until it has finished.")
            self.import_all(files)

    def import_all(self, files: dict[Path, int]) -> None:
        estimate = ImportEstimate(list(files.values()))
        for number, (path, size) in enumerate(files.items(), 1):
            title = f"{path.name} ({number} of {len(files)})"
            imported = self.import_file(path, title, estimate)
            estimate.finish_file(size, imported.was_finished)
            self.clear_progress()
            parts = [f"{title}: {format_file_import(imported)}", estimate.format_remaining()]
            self.stdout.write(", ".join(filter(None, parts)) + ".")
            self.stdout.flush()

    def import_file(self, path: Path, title: str, estimate: ImportEstimate) -> FileImport:
        try:
            with path.open("rb") as stream:
                return import_remaining_pubmed_file_records(path, stream, self.make_progress(title, stream, estimate))
        except OSError as error:
            raise CommandError(f"Cannot read {path}: {error.strerror or error}.") from error
        except (FormatError, ImportStoppedError) as error:
            raise CommandError(f"{str(error).rstrip('.')}. {RESUME_HINT}") from error
        except KeyboardInterrupt:
            raise CommandError(f"Interrupted while importing {path.name}. {RESUME_HINT}") from None

    def make_progress(self, title: str, stream: BinaryIO, estimate: ImportEstimate) -> ImportProgress | None:
        """A function that shows the progress in one line of the terminal; None without a terminal."""
        if not self.stderr.isatty():
            return None

        def show_progress(counts: ImportCounts) -> None:
            line = f"{title}: {counts.stored:,} citations, {estimate.format_remaining(stream.tell())}"
            self.stderr.write(f"\r{line}\x1b[K", style_func=str, ending="")

        return show_progress

    def clear_progress(self) -> None:
        if self.stderr.isatty():
            self.stderr.write("\r\x1b[K", style_func=str, ending="")


def format_file_import(imported: FileImport) -> str:
    if imported.was_finished:
        return "imported before"
    before = f"; {imported.stored_before:,} records were stored before" if imported.stored_before else ""
    return format_import_counts(imported.counts).rstrip(".") + before
