"""Install requirement files into .venv: `python3 bcms/local/environment.py requirements.txt ...`.

It runs with any Python before anything is installed. So it imports nothing else of the project, and its syntax is old
enough that an old Python can print why it is rejected.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 11)
FOLDER = Path(".venv")
PYTHON = FOLDER / "bin" / "python"
# The hashes of the installed requirement files.
STAMP = FOLDER / "installed.json"
# The files name all packages that are needed, with the hashes of what may be downloaded (`make lock`).
OPTIONS = ["--no-deps", "--require-hashes"]


def _hash_requirement_files(files: "list[str]") -> "dict[str, str]":
    return {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in files}


def _read_installed_hashes() -> "dict[str, str]":
    return dict(json.loads(STAMP.read_text())) if STAMP.is_file() else {}


def _has_working_environment() -> bool:
    """Whether the Python of .venv starts and has our version: its base may have been removed or replaced."""
    if not PYTHON.exists():
        return False
    probe = f"import sys; sys.exit(sys.version_info[:2] != {tuple(sys.version_info[:2])!r})"
    return subprocess.call([str(PYTHON), "-c", probe], stdin=subprocess.DEVNULL) == 0


def _make_virtual_environment(uv: "str | None") -> None:
    shutil.rmtree(str(FOLDER), ignore_errors=True)
    if uv and _run_succeeds([uv, "venv", "--quiet", "--python", sys.executable, str(FOLDER)]):
        return
    shutil.rmtree(str(FOLDER), ignore_errors=True)
    if not _run_succeeds([sys.executable, "-m", "venv", str(FOLDER)]):
        sys.exit(
            "The virtual environment could not be created: install Python's venv module "
            "(on Debian and Ubuntu: apt-get install python3-venv) or uv, and try again."
        )


def _install_requirements(uv: "str | None", files: "list[str]") -> None:
    options = [*OPTIONS, *(part for name in files for part in ("-r", name))]
    if uv:
        if _run_succeeds([uv, "pip", "install", "--quiet", "--python", str(PYTHON), *options]):
            return
        print("uv failed (see above); trying pip.", flush=True)
    if not _run_succeeds([str(PYTHON), "-m", "pip", "--version"], quiet=True):
        _run_succeeds([str(PYTHON), "-m", "ensurepip"], quiet=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    if not _run_succeeds([*pip, *options]):
        sys.exit(
            f"The packages in {' and '.join(files)} could not be installed (see above): "
            "check the network and the disk space, and try again."
        )


def _run_succeeds(command: "list[str]", quiet: bool = False) -> bool:
    output = subprocess.DEVNULL if quiet else None
    return subprocess.call(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output) == 0


def main(requirement_files: "list[str]") -> None:
    if sys.version_info < OLDEST:
        sys.exit(
            f"Python 3.11 or newer is required, but {sys.executable} is {sys.version.split()[0]}: "
            "choose a newer one, as in `make demo PYTHON=python3.12`."
        )
    required = _hash_requirement_files(requirement_files)
    installed = _read_installed_hashes() if _has_working_environment() else {}
    if required.items() <= installed.items():
        return
    uv = shutil.which("uv")
    print(f"Installing {', '.join(requirement_files)} into .venv with {'uv' if uv else 'pip'} (only once)", flush=True)
    if not _has_working_environment():
        _make_virtual_environment(uv)
    STAMP.unlink(missing_ok=True)
    _install_requirements(uv, requirement_files)
    STAMP.write_text(json.dumps({**installed, **required}))


if __name__ == "__main__":
    os.chdir(str(Path(__file__).resolve().parent.parent.parent))
    main(sys.argv[1:])
