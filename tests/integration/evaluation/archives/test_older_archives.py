"""Archives that an earlier version wrote, in tests/data/archives: they are restored, and keep their figures.

Each was written in the first format, bcms-challenge-1, of the challenge of another test in this folder.
"""

import json
import zipfile
from pathlib import Path

import pytest

from annotations.identifiers.models import Entry
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.archive_cast import (
    ENTRIES,
    extract_archive_files,
    read_archived_boards,
    write_challenge_archive,
)
from tests.integration.archive_commands import check_list_figures, check_mention_figures, check_passage_figures

pytestmark = pytest.mark.django_db
FOLDER = Path(__file__).parents[3] / "data/archives"
ARCHIVES = sorted(FOLDER.glob("*.zip"))
EVERY_ARCHIVE = pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.stem)
# What depends on the version, the time and the site.
WRITTEN_ANEW = ("README.md", "manifest.json", "challenge.json", "boards/")
# The archive of a test that is not published has scores, but no gold standard, without which none are restored.
SCORES_WITHOUT_GOLD = ("test/ACT/scores.json", "boards/test-ACT.json")


@pytest.fixture(autouse=True)
def entries(db):
    """What the site knows of the identifiers, which archives do not have."""
    Entry.objects.bulk_create(ENTRIES)


def read_lasting_files(path):
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.startswith(WRITTEN_ANEW + SCORES_WITHOUT_GOLD)]
        return {name: archive.read(name) for name in names}


def read_format(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("manifest.json"))["format"]


def read_boards_with_gold(path):
    return {name: board for name, board in read_archived_boards(path).items() if name not in SCORES_WITHOUT_GOLD}


@EVERY_ARCHIVE
def test_it_has_the_first_format(path):
    assert read_format(path) == "bcms-challenge-1"


@EVERY_ARCHIVE
def test_it_is_restored_and_written_again_alike(path, tmp_path):
    restored = restore_challenge_unless_restored_before(path).challenge
    again = write_challenge_archive(restored, tmp_path / "again.zip")
    assert read_lasting_files(again) == read_lasting_files(path)
    assert read_format(again) == "bcms-challenge-2"
    assert read_boards_with_gold(again) == read_boards_with_gold(path)


@EVERY_ARCHIVE
def test_its_runs_are_scored_again_to_the_same_figures(path):
    restore_challenge_unless_restored_before(path)
    for run in Run.objects.filter(scores__isnull=False).distinct():
        before = list_current_figures(run)
        compute_and_store_run_scores(run)
        assert list_current_figures(run) == before


def list_current_figures(run):
    scores = Score.objects.filter(run=run, superseded__isnull=True).order_by("scenario")
    return list(scores.values("scenario", "figures", "intervals", "curve", "signature"))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "check_figures"),
    [("lists", check_list_figures), ("mentions", check_mention_figures), ("passages", check_passage_figures)],
)
def test_its_commands_print_its_figures(name, check_figures, tmp_path):
    check_figures(extract_archive_files(FOLDER / f"{name}.zip", tmp_path))
