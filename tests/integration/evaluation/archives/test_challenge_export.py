"""The archive of a challenge: the same bytes each time, whole, and scored again without the site."""

import json
import re
import zipfile
from hashlib import sha256

import pytest
from django.core.management import CommandError, call_command

from evaluation.archives.export.boards import render_archived_boards_index_page
from evaluation.challenges.models import Challenge
from evaluation.scoring.models import Score
from tests.integration.archive_cast import (
    GN_FIRST,
    beta,
    extract_archive_files,
    play_challenge,
    write_challenge_archive,
)
from tests.integration.archive_commands import LIST_FOLDERS, check_list_figures

pytestmark = pytest.mark.django_db


@pytest.fixture
def challenge(olga, team, alice, django_user_model):
    return play_challenge(olga, team, alice, *beta(django_user_model))


def read_zip_files(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_it_writes_the_same_bytes_of_the_same_challenge(challenge, tmp_path):
    first, second = (
        write_challenge_archive(challenge, tmp_path / "a.zip"),
        write_challenge_archive(challenge, tmp_path / "b.zip"),
    )
    assert first.read_bytes() == second.read_bytes()


def test_it_lists_every_file_with_its_checksum(challenge, tmp_path):
    files = read_zip_files(write_challenge_archive(challenge, tmp_path / "a.zip"))
    told = json.loads(files.pop("manifest.json"))["files"]
    assert {name: sha256(content).hexdigest() for name, content in files.items()} == {
        name: own["sha256"] for name, own in told.items()
    }
    assert {
        *("README.md", "challenge.json", "training/articles.tsv", "training/GN/gold.tsv", "training/GN/organisms.tsv"),
        *("training/GN/swissprot.txt", "training/GN/scores.json", "training/GN/runs/001-first-b.tsv"),
        *("training/GN/results/001-first-b.jsonl", "training/GN/times/003-online.tsv", "boards/training-GN.html"),
        *("boards/index.html", "boards/training-ACT.json", "boards/training-GN-all.csv"),
    } <= files.keys()
    assert files["training/GN/uploads/001-first-b/First_b_.tsv"] == GN_FIRST


def test_its_first_page_has_the_description_as_the_site_shows_it():
    page = render_archived_boards_index_page(Challenge(name="Example", description="Find **genes**. <script>"), [], [])
    assert "Find <strong>genes</strong>. &lt;script&gt;" in page


@pytest.mark.long
def test_it_is_scored_again_to_the_same_digits_without_the_site(challenge, tmp_path):
    check_list_figures(
        extract_archive_files(write_challenge_archive(challenge, tmp_path / "a.zip"), tmp_path / "archive")
    )


def test_it_has_the_scores_as_they_are_stored(challenge, tmp_path):
    files = read_zip_files(write_challenge_archive(challenge, tmp_path / "a.zip"))
    every = [own for place in LIST_FOLDERS for own in json.loads(files[f"{place}/scores.json"])["scores"]]
    stored = Score.objects.order_by("run__task", "pk")
    assert [(own["scenario"], own["figures"], own["intervals"], own["signature"]) for own in every] == [
        (own.scenario, own.figures, own.intervals, own.signature) for own in stored
    ]
    assert all(own["up_to_date"] for own in every)


def test_it_writes_by_the_command_and_says_what_is_missing(challenge, tmp_path, capsys):
    call_command("export_challenge", "example", str(tmp_path / "example.zip"))
    assert "Example challenge" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["example.zip"]
    with pytest.raises(CommandError, match="There is no challenge other; choose one of: example"):
        call_command("export_challenge", "other", str(tmp_path / "b.zip"))
    with pytest.raises(CommandError, match="cannot be written: No such file or directory"):
        call_command("export_challenge", "example", str(tmp_path / "nowhere" / "b.zip"))


def test_its_pages_need_nothing_else_and_take_names_as_text(challenge, tmp_path):
    files = read_zip_files(write_challenge_archive(challenge, tmp_path / "a.zip"))
    pages = {name: content.decode() for name, content in files.items() if name.endswith(".html")}
    assert len(pages) == 4
    for page in pages.values():
        assert not re.search(r"<script|<link|<img|url\(|@import", page)
        named = set(re.findall(r'(?:src|href)="([^"#]+)"', page))
        assert {f"boards/{name}" for name in named} <= files.keys()
        assert "prefers-color-scheme: dark" in page
    assert "First &lt;b&gt;" in pages["boards/training-GN.html"] and "First <b>" not in pages["boards/training-GN.html"]
