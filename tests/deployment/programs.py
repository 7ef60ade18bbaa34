"""Programs of Debian that the tests of a deployment start."""

import os
import shutil
from pathlib import Path

import pytest

POSTGRES_FOLDER = Path("/usr/lib/postgresql")
OLDEST_POSTGRES = 15
# The path of an ordinary user lacks the folders of servers.
SEARCH_PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin"])
PACKAGES = {
    "curl": "curl",
    "faketime": "faketime",
    "initdb": "postgresql",
    "nginx": "nginx",
    "npm": "npm",
    "pgbouncer": "pgbouncer",
    "prometheus": "prometheus",
    "promtool": "prometheus",
    "redis-server": "redis-server",
    "shellcheck": "shellcheck",
}


def find_program(name: str) -> str | None:
    """The path of a program; initdb is that of the oldest PostgreSQL that the site supports."""
    if name != "initdb":
        return shutil.which(name, path=SEARCH_PATH)
    found = [path.parent.name for path in POSTGRES_FOLDER.glob("*/bin") if (path / "initdb").exists()]
    versions = [int(version) for version in found if version.isdecimal() and int(version) >= OLDEST_POSTGRES]
    return str(POSTGRES_FOLDER / str(min(versions)) / "bin" / "initdb") if versions else None


def require_programs(*names: str) -> dict[str, str]:
    """The paths of the programs by name. Without them the test is skipped and says which packages are missing; where
    continuous integration can install them, it fails.
    """
    paths = {name: find_program(name) for name in names}
    missing = sorted({PACKAGES[name] for name, path in paths.items() if path is None})
    if missing:
        sentence = f"not tried, because these packages of Debian are missing: {', '.join(missing)}"
        if os.environ.get("CI") and os.geteuid() == 0:
            pytest.fail(sentence)
        pytest.skip(sentence)
    return {name: path for name, path in paths.items() if path is not None}
