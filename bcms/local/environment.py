"""Makes .venv hold what requirement files name: `python3 bcms/local/environment.py requirements.txt ...`.

Run by whatever Python the machine has, before anything is installed; so it imports nothing of ours, and its syntax is
old enough for an old Python to read the sentence that refuses it.
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
# What is installed: a hash for each requirement file.
STAMP = FOLDER / "installed.json"


def wanted(files):
    return {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in files}


def installed():
    return json.loads(STAMP.read_text()) if STAMP.is_file() else {}


def works():
    """Whether the environment's own Python starts: its base may have been removed, or be another by now."""
    if not PYTHON.exists():
        return False
    probe = f"import sys; sys.exit(sys.version_info[:2] != {tuple(sys.version_info[:2])!r})"
    return subprocess.call([str(PYTHON), "-c", probe], stdin=subprocess.DEVNULL) == 0


def make(uv):
    shutil.rmtree(str(FOLDER), ignore_errors=True)
    if uv and run([uv, "venv", "--quiet", "--python", sys.executable, str(FOLDER)]):
        return
    shutil.rmtree(str(FOLDER), ignore_errors=True)
    if not run([sys.executable, "-m", "venv", str(FOLDER)]):
        sys.exit(
            "No virtual environment could be made: install Python's venv module "
            "(on Debian and Ubuntu: apt-get install python3-venv), or uv, and try again."
        )


def install(uv, files):
    named = [part for name in files for part in ("-r", name)]
    if uv:
        if run([uv, "pip", "install", "--quiet", "--python", str(PYTHON), *named]):
            return
        print("uv could not install them (see above); pip tries now.", flush=True)
    if not run([str(PYTHON), "-m", "pip", "--version"], quiet=True):
        run([str(PYTHON), "-m", "ensurepip"], quiet=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    if not run([*pip, *named]):
        sys.exit(
            f"The packages in {' and '.join(files)} could not be installed (see above): "
            "check the network and the space on the disk, and try again."
        )


def run(command, quiet=False):
    output = subprocess.DEVNULL if quiet else None
    return subprocess.call(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output) == 0


def main(files):
    if sys.version_info < OLDEST:
        sys.exit(
            f"Python 3.11 or newer is needed, and {sys.executable} is {sys.version.split()[0]}: "
            "name a newer one, as in `make demo PYTHON=python3.12`."
        )
    needed = wanted(files)
    before = installed() if works() else {}
    if needed.items() <= before.items():
        return
    uv = shutil.which("uv")
    print(f"Installing {', '.join(files)} into .venv with {'uv' if uv else 'pip'} (once)", flush=True)
    if not works():
        make(uv)
    STAMP.unlink(missing_ok=True)
    install(uv, files)
    STAMP.write_text(json.dumps({**before, **needed}))


if __name__ == "__main__":
    os.chdir(str(Path(__file__).resolve().parent.parent.parent))
    main(sys.argv[1:])
