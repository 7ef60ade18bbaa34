"""Lighthouse finds nothing to complain of on the main pages: accessibility, good practice, what search engines read.

How fast the pages are is not asked, as it depends on what else the machine does.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.browser import FLAGS, NAMES
from tests.deployment.programs import require_programs

pytestmark = pytest.mark.long
FOLDER = Path(__file__).parent / "lighthouse"
SECONDS = 300
CATEGORIES = ("accessibility", "best-practices", "seo")
BEST = 95
PAGES = (
    "/",
    "/articles/?q=article",
    "/articles/101/",
    "/servers/",
    "/challenges/",
    "/challenges/example/",
    "/challenges/example/training/TX/",
    "/data/",
    "/manual/articles/",
    "/login/",
)


@pytest.fixture(scope="module")
def lighthouse(tmp_path_factory):
    """The program, installed as the lock file says."""
    folder = tmp_path_factory.mktemp("lighthouse")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(FOLDER / name, folder)
    npm = require_programs("npm")["npm"]
    command = [npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(command, cwd=folder, check=True, timeout=SECONDS)
    return folder / "node_modules" / ".bin" / "lighthouse"


@pytest.mark.parametrize("path", PAGES)
def test_it_finds_nothing_to_complain_of(deployment, lighthouse, path, tmp_path, monkeypatch):
    chromium = next(found for name in NAMES if (found := shutil.which(name)))
    monkeypatch.setenv("CHROME_PATH", chromium)
    report = tmp_path / "report.json"
    flags = " ".join(["--headless", "--ignore-certificate-errors", *FLAGS])
    options = [f"--only-categories={','.join(CATEGORIES)}", "--preset=desktop", f"--chrome-flags={flags}"]
    written = ["--output=json", f"--output-path={report}", "--quiet"]
    subprocess.run([lighthouse, deployment.url + path, *options, *written], check=True, timeout=SECONDS)
    result = json.loads(report.read_text())
    assert "runtimeError" not in result, result["runtimeError"]
    found = {name: round(100 * result["categories"][name]["score"]) for name in CATEGORIES}
    complaints = [audit["id"] for audit in result["audits"].values() if audit["score"] == 0]
    assert min(found.values()) >= BEST, (found, complaints)
