"""Write the licences of the packages in requirements.txt as a table: `python tools/list_licences.py [FILE]`.

The table is docs/licences.md, which is checked in. The licences are what the installed packages say of themselves, so
run it with the Python of .venv, and again when packages come or go.
"""

import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "licences.md"
HEADING = """# Licences

The packages that a site installs ([requirements.txt](../requirements.txt)) and their licences, as each package states
them. `make licences` writes this table; NOTICE names the sources of data that the software contains.

| package | licence |
|---|---|
"""


def list_names():
    """The packages in requirements.txt that this machine needs and has."""
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    names = [match[1] for line in lines if (match := re.match(r"([\w.-]+)(?:\[[\w, -]+\])?==", line))]
    installed = {canonicalize_name(found.metadata["Name"]) for found in importlib.metadata.distributions()}
    return [name for name in names if canonicalize_name(name) in installed]


def format_table():
    command = [sys.executable, "-m", "piplicenses", "--from=mixed", "--format=json", "--packages", *list_names()]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    rows = sorted((canonicalize_name(package["Name"]), package["License"]) for package in found)
    return HEADING + "".join(f"| {name} | {licence} |\n" for name, licence in rows)


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE).write_text(format_table())
