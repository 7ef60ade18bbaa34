"""Import files of PubMed, its baseline and its daily updates, or all that lie in a folder, in the order of their names.

A file that is finished is left alone when it is named again, and one that broke off goes on where it did. Where the
checksum that PubMed gives (.md5) lies beside a file, it is compared first.
"""

from argparse import ArgumentParser
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError

from annotations.citation_storing import ImportCounts
from annotations.formats.errors import FormatError
from annotations.importing import ImportStoppedError, Progress
from annotations.locking import alone
from annotations.management.commands.import_articles import sentence
from annotations.pubmed_files import FILES_LOCK, FileImport, files_in, import_once
from bcms.lib.durations import about

AGAIN = "The same command goes on from there."


class Estimate:
    """How long the rest will take, by the bytes of the files that were read since the beginning."""

    def __init__(self, sizes: list[int]) -> None:
        self.waiting = sum(sizes)
        self.read = 0
        self.began = monotonic()

    def finish(self, size: int, known: bool) -> None:
        self.waiting -= size
        self.read += 0 if known else size

    def words(self, within: int = 0) -> str:
        """`25 % read, about 3 min left`, with so many bytes of the present file read."""
        read, waiting = self.read + within, self.waiting - within
        if not read or waiting <= 0:
            return ""
        seconds = (monotonic() - self.began) * waiting / read
        return f"{read / (read + waiting):.0%} read, {about(seconds)} left"


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="FILE_OR_FOLDER", help="gzipped or not")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            files = {path: path.stat().st_size for path in files_in(options["paths"])}
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be read: {error.strerror}.") from error
        if not files:
            raise CommandError("There is no file of PubMed: their names end in .xml or .xml.gz.")
        with alone(FILES_LOCK) as free:
            if not free:
                raise CommandError("Files of PubMed are being imported already: wait for the end of it.")
            self.import_all(files)

    def import_all(self, files: dict[Path, int]) -> None:
        estimate = Estimate(list(files.values()))
        for number, (path, size) in enumerate(files.items(), 1):
            title = f"{path.name} ({number} of {len(files)})"
            done = self.import_file(path, title, estimate)
            estimate.finish(size, done.known)
            self.clear()
            self.stdout.write(", ".join(filter(None, [f"{title}: {told(done)}", estimate.words()])) + ".")
            self.stdout.flush()

    def import_file(self, path: Path, title: str, estimate: Estimate) -> FileImport:
        try:
            with path.open("rb") as stream:
                return import_once(path, stream, self.progress(title, stream, estimate))
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from error
        except (FormatError, ImportStoppedError) as error:
            raise CommandError(f"{str(error).rstrip('.')}. {AGAIN}") from error
        except KeyboardInterrupt:
            raise CommandError(f"Stopped within {path.name}. {AGAIN}") from None

    def progress(self, title: str, stream: BinaryIO, estimate: Estimate) -> Progress | None:
        """Writes over one line of the terminal how far all is; None without a terminal."""
        if not self.stderr.isatty():
            return None

        def tell(counts: ImportCounts) -> None:
            words = f"{title}: {counts.stored:,} citations, {estimate.words(stream.tell())}"
            self.stderr.write(f"\r{words}\x1b[K", style_func=str, ending="")

        return tell

    def clear(self) -> None:
        if self.stderr.isatty():
            self.stderr.write("\r\x1b[K", style_func=str, ending="")


def told(done: FileImport) -> str:
    if done.known:
        return "finished before"
    before = f"; {done.before:,} records were stored before" if done.before else ""
    return sentence(done.counts).rstrip(".") + before
