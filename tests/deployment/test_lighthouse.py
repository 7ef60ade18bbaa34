"""Lighthouse finds nothing to complain of on the main pages: accessibility, good practice, what search engines read,
and speed.

What else the machine does can only make a page slower: the best speed of a few readings counts.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.browser import FLAGS, NAMES
from tests.deployment.programs import require_programs

pytestmark = pytest.mark.long
FOLDER = Path(__file__).parent / "lighthouse"
SECONDS = 300
CATEGORIES = ("accessibility", "best-practices", "seo", "performance")
BEST = 95
READINGS = 3
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


@pytest.fixture(scope="module")
def read_scores(deployment, lighthouse, tmp_path_factory):
    """Reads a page: {category: score in per cent}, and the audits that it fails."""

    def read(path):
        report = tmp_path_factory.mktemp("report") / "report.json"
        flags = " ".join(["--headless", "--ignore-certificate-errors", *FLAGS])
        options = [f"--only-categories={','.join(CATEGORIES)}", "--preset=desktop", f"--chrome-flags={flags}"]
        written = ["--output=json", f"--output-path={report}", "--quiet"]
        command = [lighthouse, deployment.url + path, *options, *written]
        chromium = next(found for name in NAMES if (found := shutil.which(name)))
        subprocess.run(command, env={**os.environ, "CHROME_PATH": chromium}, check=True, timeout=SECONDS)
        result = json.loads(report.read_text())
        assert "runtimeError" not in result, result["runtimeError"]
        scores = {name: round(100 * result["categories"][name]["score"]) for name in CATEGORIES}
        return scores, [audit["id"] for audit in result["audits"].values() if audit["score"] == 0]

    return read


@pytest.mark.parametrize("path", PAGES)
def test_it_finds_nothing_to_complain_of(read_scores, path):
    scores, complaints = read_scores(path)
    for _ in range(READINGS - 1):
        if scores["performance"] < BEST:
            scores["performance"] = max(scores["performance"], read_scores(path)[0]["performance"])
    assert min(scores.values()) >= BEST, (scores, complaints)
