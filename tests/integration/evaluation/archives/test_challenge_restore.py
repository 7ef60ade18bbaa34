"""A challenge comes out of its archive as it was, under another name or on another installation; or nothing does."""

import json
import zipfile
from hashlib import sha256

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.results.models import Annotation, Producer, Result
from evaluation import tasks
from evaluation.archives.errors import ChallengeArchiveError
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.challenges.models import Challenge, CorpusOwner, Phase
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.gold.models import GoldStandard
from evaluation.gold.sealing import (
    generate_public_and_private_key,
    parse_optional_private_key,
    parse_optional_public_key,
)
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.leaderboards.models import Ranking
from evaluation.runs.models import Run
from evaluation.runs.uploads.intake import store_run_upload_and_process_or_enqueue
from evaluation.runs.uploads.models import Upload
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.scoring import run_scores
from evaluation.scoring.models import Score
from evaluation.scoring.stale_scores import list_runs_due_for_scoring
from servers.calls.models import Queue
from servers.registry.models import Server
from servers.teams.models import Team
from tests.integration.archive_cast import (
    beta,
    play_challenge,
    read_archived_boards,
    submit_run_content,
    write_challenge_archive,
)
from tests.integration.evaluation_cast import (
    ACT_GOLD,
    create_listed_challenge,
    get_article,
    make_challenge,
    make_corpus,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def challenge(olga, team, alice, django_user_model):
    return play_challenge(olga, team, alice, *beta(django_user_model))


@pytest.fixture
def archive(challenge, tmp_path):
    return write_challenge_archive(challenge, tmp_path / "example.zip")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("archives")


@pytest.fixture
def written_archive(folder, request):
    """The archive of a challenge that is perhaps no longer here. It is written once: the challenge takes seconds."""
    path = folder / "example.zip"
    return path if path.exists() else write_challenge_archive(request.getfixturevalue("challenge"), path)


def count_model_rows():
    models = (Challenge, Run, Score, Ranking, Upload, Result, Annotation, Article, Corpus, Team, Producer)
    return {model.__name__: model.objects.count() for model in models}


def test_it_restores_under_another_name(archive, tmp_path, capsys):
    corpus = Phase.objects.get().corpus
    CorpusOwner.objects.create(corpus=corpus, challenge=Challenge.objects.get(slug="example"))
    call_command("import_challenge", str(archive), "--slug", "again")
    said = capsys.readouterr().out
    assert "Example challenge (again): 7 runs and 25 scores restored." in said
    assert "whose members see the restored runs: Team Alpha, Team Beta." in said
    restored = Challenge.objects.get(slug="again")
    assert read_archived_boards(write_challenge_archive(restored, tmp_path / "again.zip")) == read_archived_boards(
        archive
    )
    assert restored.phases.get().upload_caps == {"normalization": 250}
    assert restored.phases.get().corpus == corpus


def test_it_restores_where_nothing_was(archive, tmp_path):
    forget_everything()
    assert not any(count_model_rows().values())
    report = restore_challenge_unless_restored_before(archive)
    assert (report.runs, report.scores, report.known_teams) == (7, 25, [])
    assert report.articles_without_text == ["101", "102", "103", "104"]
    assert read_archived_boards(
        write_challenge_archive(report.challenge, tmp_path / "again.zip")
    ) == read_archived_boards(archive)
    assert [team.members.count() for team in Team.objects.all()] == [0, 0]


def test_articles_show_what_it_restores_once_it_is_reviewed(challenge, tmp_path):
    publish_phase_or_request_if_sealed(challenge.phases.get())
    archive = write_challenge_archive(challenge, tmp_path / "published.zip")
    restored = restore_challenge_unless_restored_before(archive, "again").challenge
    assert (Challenge.objects.get(slug="example").review, restored.review) == ("accepted", "unreviewed")
    for relation in ("runs", "gold"):
        producers = Producer.objects.filter(**{f"{relation}__phase__challenge": restored})
        assert set(producers.values_list("published", "public")) == {(True, False)}


def test_it_scores_and_ranks_nothing_again(archive):
    forget_everything()
    restore_challenge_unless_restored_before(archive)
    assert list_runs_due_for_scoring() == []
    assert tasks.rank_stale_boards_unless_busy() == "0 ranked"


def test_a_restored_run_is_scored_again_to_the_same_figures(archive):
    restored = restore_challenge_unless_restored_before(archive, "again").challenge
    runs = Run.objects.filter(phase__challenge=restored, scores__isnull=False).distinct()
    before = {own.pk: list_current_figures(own) for own in runs}
    for own in runs:
        run_scores.compute_and_store_run_scores(own)
    assert {own.pk: list_current_figures(own) for own in runs} == before


def list_current_figures(run):
    current = run.scores.filter(superseded=None)
    return {own.scenario: (own.figures, own.intervals, own.confidence, own.seconds_mean) for own in current}


def test_it_changes_nothing_when_it_runs_twice(archive, capsys):
    restore_challenge_unless_restored_before(archive, "again")
    before = count_model_rows()
    call_command("import_challenge", str(archive), "--slug", "again")
    assert "was restored from this archive before: nothing was changed." in capsys.readouterr().out
    assert count_model_rows() == before


def test_it_takes_the_place_of_no_other_challenge(archive):
    with pytest.raises(CommandError, match="There is already another challenge example here"):
        call_command("import_challenge", str(archive))
    with pytest.raises(CommandError, match="--slug No name is not valid"):
        call_command("import_challenge", str(archive), "--slug", "No name")


def test_it_keeps_uploaded_files_byte_for_byte(archive):
    restored = restore_challenge_unless_restored_before(archive, "again").challenge
    ours = Upload.objects.filter(phase__challenge=restored).order_by("name")
    theirs = Upload.objects.filter(phase__challenge__slug="example").order_by("name")
    fields = ("name", "message", "source", "sha256", "note", "warnings", "unknown_names", "received", "finished")
    assert list(ours.values_list(*fields)) == list(theirs.values_list(*fields))
    assert [bytes(own.file.body) for own in ours] == [bytes(own.file.body) for own in theirs]


def rewrite_archive(archive, path, change):
    """The archive with the files that change returns, {name: content}; None leaves one out."""
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(path, "w") as new:
        files = {name: old.read(name) for name in old.namelist()}
        for name, content in {**files, **change(files)}.items():
            if content is not None:
                new.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda files: {"training/ACT/gold.tsv": b"101\t0\n"},
            "“training/ACT/gold.tsv” in the archive was changed",
        ),
        (lambda files: {"training/ACT/gold.tsv": None}, "disagree about “training/ACT/gold.tsv”"),
        (lambda files: {"more.txt": b"more"}, "disagree about “more.txt”"),
        (lambda files: {"manifest.json": None}, "has no manifest.json"),
        (lambda files: {"manifest.json": b"[]"}, "manifest.json in the archive cannot be read"),
        (lambda files: {"manifest.json": files["manifest.json"].replace(b"-2", b"-3")}, "this version reads"),
    ],
)
def test_it_refuses_a_damaged_archive_and_stores_nothing(written_archive, tmp_path, change, said):
    before = count_model_rows()
    changed = rewrite_archive(written_archive, tmp_path / "changed.zip", change)
    with pytest.raises(ChallengeArchiveError, match=said):
        restore_challenge_unless_restored_before(changed, "again")
    assert count_model_rows() == before


def test_it_refuses_half_an_archive_and_what_is_none(written_archive, tmp_path):
    half = tmp_path / "half.zip"
    half.write_bytes(written_archive.read_bytes()[:5000])
    with pytest.raises(ChallengeArchiveError, match="is not a complete zip archive"):
        restore_challenge_unless_restored_before(half)
    with pytest.raises(ChallengeArchiveError, match="cannot be read: No such file"):
        restore_challenge_unless_restored_before(tmp_path / "nothing.zip")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("training/GN/scores.json", b'"scenario": "all"', b'"scenario": "nowhere"'),
        ("training/GN/scores.json", b'"samples": 1000', b'"samples": "many"'),
        ("training/ACT/results/002-online.jsonl", b'"article": "101"', b'"article": "7"'),
        ("training/ACT/results/002-online.jsonl", b'"confidence": 0.5', b'"confidence": 5'),
        ("challenge.json", b'"primary": "mcc"', b'"primary": "luck"'),
        ("challenge.json", b'"entrance": "open"', b'"entrance": "nobody"'),
    ],
)
def test_it_stores_nothing_when_a_part_does_not_fit(written_archive, tmp_path, name, old, new):
    before = count_model_rows()
    changed = rewrite_archive(
        written_archive, tmp_path / "changed.zip", lambda files: replace_listed_file(files, name, old, new)
    )
    with pytest.raises(ChallengeArchiveError, match=r"in the archive|The archive has"):
        restore_challenge_unless_restored_before(changed, "again")
    assert count_model_rows() == before


def replace_listed_file(files, name, old, new):
    """A changed file, and the list of files as if it had been made of it."""
    assert old in files[name]
    content = files[name].replace(old, new)
    told = json.loads(files["manifest.json"])
    told["files"][name] = {"size": len(content), "sha256": sha256(content).hexdigest()}
    return {name: content, "manifest.json": json.dumps(told).encode()}


def forget_everything():
    with connection.cursor() as cursor:
        tables = ", ".join(
            model._meta.db_table
            for model in (Challenge, Corpus, CorpusArticle, Article, Producer, Team, Server, Queue, User)
        )
        # What waits for the end of the test's transaction is checked now.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"TRUNCATE {tables} CASCADE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def test_it_brings_a_blind_test_without_its_gold_standard(olga, team, alice, tmp_path, settings):
    restored = restore_challenge_unless_restored_before(blind_archive(olga, team, alice, tmp_path, settings), "again")
    assert restored.without_gold == ["ACT test"]
    assert (restored.runs, restored.scores) == (1, 0)


def blind_archive(olga, team, alice, tmp_path, settings):
    public, private = generate_public_and_private_key(2048)
    settings.GOLD_PUBLIC_KEY, settings.GOLD_PRIVATE_KEY = (
        parse_optional_public_key(public),
        parse_optional_private_key(private),
    )
    challenge = make_challenge(olga, make_corpus())
    phase = creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", (201, 202, 203, 204), blind=True)
    )
    act = challenge.tasks.get(name="ACT")
    store_gold_sealed_or_open(act, phase, ACT_GOLD.replace(b"10", b"20"), "test.tsv")
    opaque = get_article(201).opaque
    own = store_run_upload_and_process_or_enqueue(
        RunSubmission("blind", "", "b.tsv", f"{opaque}\t1\t0.5\n".encode()), act, phase, team, alice
    )
    run_scores.compute_and_store_run_scores(own.run)
    assert GoldStandard.objects.get(phase=phase).sealed
    return write_challenge_archive(challenge, tmp_path / "blind.zip")


def test_it_keeps_what_is_secret_out(olga, team, alice, tmp_path, settings):
    path = blind_archive(olga, team, alice, tmp_path, settings)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert "test/ACT/gold.tsv" not in files and "test/ACT/results/gold.jsonl" not in files
    whole = b"".join(content for name, content in files.items() if name.startswith(("test/", "boards/test")))
    assert b"20" + b"1\t" not in whole and b"10.1000/201" not in whole
    (score,) = json.loads(files["test/ACT/scores.json"])["scores"]
    assert score["table"] == "" and score["figures"]["tp"] == 1
    told = files["README.md"].decode()
    assert "### ACT, test phase\n\nThe gold standard is not published" in told


def test_it_has_the_descriptions_of_runs_of_named_teams(challenge, tmp_path):
    said = {"method_name": "Forests", "paper": "https://example.org/paper", "environment": "2 cores"}
    own = Run.objects.filter(phase__challenge=challenge, team__isnull=False)
    own.update(**said)
    restored = restore_challenge_unless_restored_before(write_challenge_archive(challenge, tmp_path / "a.zip"), "again")
    runs = Run.objects.filter(phase__challenge=restored.challenge)
    assert runs.filter(**said).count() == own.count() > 1
    challenge.phases.update(names_shown="2100-01-01T00:00Z")
    path = write_challenge_archive(challenge, tmp_path / "hidden.zip")
    with zipfile.ZipFile(path) as archive:
        assert not any(b"example.org/paper" in archive.read(name) for name in archive.namelist())


def test_it_hides_teams_that_are_not_named_yet(challenge, tmp_path):
    challenge.phases.update(names_shown="2100-01-01T00:00Z")
    with zipfile.ZipFile(write_challenge_archive(challenge, tmp_path / "hidden.zip")) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    whole = b"".join(files.values())
    for told in (b"Team Alpha", b"team-beta", b"First <b>", b"All of it.", b"Calls", b"calls", b"Online"):
        assert told not in whole, told
    assert not any("/uploads/" in name for name in files)
    assert b"Team 1" in files["boards/training-GN.html"]
    report = restore_challenge_unless_restored_before(tmp_path / "hidden.zip", "again")
    assert report.challenge.phases.get().names_shown is None
    assert report.known_teams == []


def test_it_names_a_team_only_where_it_is_named(challenge, team, alice, tmp_path):
    phase = creation.create_phase_claiming_blind_corpus(challenge, "development", make_corpus("more", (301, 302)))
    submit_run_content(challenge.tasks.get(name="ACT"), phase, team, alice, "Secret", b"301\t1\t0.5\n")
    challenge.phases.filter(pk=phase.pk).update(names_shown="2100-01-01T00:00Z")
    path = write_challenge_archive(challenge, tmp_path / "half.zip")
    with zipfile.ZipFile(path) as archive:
        later = b"".join(archive.read(name) for name in archive.namelist() if "development" in name)
    assert b"Team Alpha" not in later and b"Secret" not in later
    runs = Run.objects.filter(phase__challenge=restore_challenge_unless_restored_before(path, "again").challenge)
    teams = {str(own.team) for own in runs if own.team}
    assert teams == {"Team Alpha", "Team Beta", "Team 1 (again development ACT)"}


def test_it_restores_a_challenge_that_is_only_begun(olga, tmp_path):
    begun = create_listed_challenge("Begun", "begun", "", olga)
    creation.create_phase_claiming_blind_corpus(begun, "training", make_corpus())
    restored = restore_challenge_unless_restored_before(
        write_challenge_archive(begun, tmp_path / "begun.zip"), "again"
    ).challenge
    assert (restored.tasks.count(), restored.phases.count()) == (0, 0)
    creation.create_task(begun, "ACT", "classification", "Relevant or not")
    restored = restore_challenge_unless_restored_before(
        write_challenge_archive(begun, tmp_path / "more.zip"), "more"
    ).challenge
    assert (restored.tasks.count(), restored.phases.count()) == (1, 1)
    assert restored.organizer_names == ""


def test_it_restores_whom_to_ask_and_how_to_cite(olga, tmp_path):
    begun = create_listed_challenge("Begun", "begun", "", olga)
    creation.create_phase_claiming_blind_corpus(begun, "training", make_corpus())
    begun.organizer_names, begun.doi, begun.contact = "Ada; Grace", "10.1000/x", "ask@example.org"
    begun.save()
    path = write_challenge_archive(begun, tmp_path / "begun.zip")
    restored = restore_challenge_unless_restored_before(path, "again").challenge
    assert (restored.organizer_names, restored.doi, restored.contact) == ("Ada; Grace", "10.1000/x", "ask@example.org")


def write_zip(path, manifest: bytes, flags: int = 0):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", manifest)
    if flags:
        content = bytearray(path.read_bytes())
        # The general purpose flags of the entry and of the central directory.
        content[6] |= flags
        content[content.index(b"PK\1\2") + 8] |= flags
        path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("manifest", "flags", "message"),
    [
        (b"[" * 100_000, 0, "manifest.json in the archive cannot be read"),
        (b'{"format":' * 100_000, 0, "manifest.json in the archive cannot be read"),
        (b"9" * 5000, 0, "manifest.json in the archive cannot be read"),
        (b"{}", 1, "“manifest.json” in the archive is encrypted"),
    ],
)
def test_it_names_what_is_wrong_with_a_hostile_archive(tmp_path, manifest, flags, message):
    with pytest.raises(CommandError) as caught:
        call_command("import_challenge", str(write_zip(tmp_path / "x.zip", manifest, flags)))
    assert message in str(caught.value)


def test_it_names_damaged_compressed_data(tmp_path):
    path = write_zip(tmp_path / "x.zip", b'{"a": 1}' * 100)
    content = bytearray(path.read_bytes())
    content[50:60] = b"\xff" * 10
    path.write_bytes(content)
    with pytest.raises(CommandError, match="not a complete zip archive"):
        call_command("import_challenge", str(path))
