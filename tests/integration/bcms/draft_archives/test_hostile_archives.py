"""An uploaded archive is a hostile file: whatever is wrong with it, nothing is stored, and the error says where."""

import json
import stat
import struct
import warnings
import zipfile
from io import BytesIO

import pytest

from annotations.articles.models import Article, ArticleSnapshot, Corpus
from annotations.formats.errors import RefusedFileError
from annotations.formats.zip import reader as zip_reader
from annotations.results.models import Producer, Result
from bcms.draft_archives import archive_reader, creation, imported_runs
from bcms.draft_archives.creation import create_draft_from_archive
from bcms.draft_archives.processing import process_draft_archive_unless_busy, store_draft_archive
from evaluation.challenges.models import Challenge, CorpusOwner
from evaluation.gold.models import GoldStandard
from evaluation.runs.models import Run
from tests.integration.archive_cast import beta, play_challenge, write_challenge_archive
from tests.integration.bcms.draft_archives.packing import change_json, change_text, pack, read_members
from tests.integration.evaluation_cast import make_corpus

pytestmark = pytest.mark.django_db
TABLES = (Challenge, Corpus, CorpusOwner, Article, ArticleSnapshot, GoldStandard, Run, Producer, Result)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("archives")


@pytest.fixture
def content(challenge, folder):
    """A small archive, written once; its articles are here in every test."""
    path = folder / "example.zip"
    return (path if path.exists() else write_challenge_archive(challenge, path)).read_bytes()


@pytest.fixture
def played(olga, team, alice, django_user_model, tmp_path):
    """An archive with gold standards and runs."""
    challenge = play_challenge(olga, team, alice, *beta(django_user_model))
    return write_challenge_archive(challenge, tmp_path / "example.zip").read_bytes()


def count_rows():
    return [table.objects.count() for table in TABLES]


def list_faults(content, user, **names):
    before = count_rows()
    with pytest.raises(RefusedFileError) as refused:
        create_draft_from_archive(content, "example.zip", user, names)
    assert count_rows() == before
    assert all(fault.mend for fault in refused.value.faults)
    return [(fault.source, fault.line, fault.rule, fault.message) for fault in refused.value.faults]


def make_entry(name, mode=0o644):
    entry = zipfile.ZipInfo(name)
    entry.external_attr = mode << 16
    return entry


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (make_entry("link", stat.S_IFLNK | 0o777), "is a folder or a link"),
        (make_entry("folder/"), "is a folder or a link"),
        (make_entry("/etc/passwd"), "leads out of it"),
        (make_entry("training/../../etc/passwd"), "leads out of it"),
        (make_entry("..\\up"), "leads out of it"),
        (make_entry("C:/windows"), "leads out of it"),
    ],
)
def test_paths_that_lead_elsewhere(dora, content, entry, problem):
    ((source, _, rule, message),) = list_faults(pack(read_members(content), [(entry, b"")]), dora)
    assert (source, rule, problem in message) == ("example.zip", "R763", True)


def test_a_member_that_is_there_twice(dora, content):
    members = read_members(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twice = pack(members, [(make_entry("README.md"), members["README.md"])])
    ((_, _, rule, message),) = list_faults(twice, dora)
    assert (rule, "two files with the same name" in message) == ("R763", True)


def test_an_unusual_compression(dora, content):
    ((_, _, rule, message),) = list_faults(pack(read_members(content), compression=zipfile.ZIP_LZMA), dora)
    assert (rule, "packed in an unusual way" in message) == ("R763", True)


def test_a_bomb_is_not_unpacked(dora, content, monkeypatch):
    bomb = pack(read_members(content) | {"zeros": b"\0" * (zip_reader.MOST_UNPACKED + 1)})
    assert len(bomb) < 1_000_000
    monkeypatch.setattr(zipfile.ZipFile, "read", None)
    monkeypatch.setattr(zipfile.ZipFile, "open", None)
    ((_, _, rule, message),) = list_faults(bomb, dora)
    assert (rule, "which unpack to" in message) == ("R448", True)


def test_a_member_that_declares_less_than_it_has(dora, content):
    packed = bytearray(pack(read_members(content) | {"zeros": b"\0" * 100_000}))
    directory = packed.rindex(b"zeros") - 46
    assert packed[directory : directory + 4] == b"PK\x01\x02"
    packed[directory + 24 : directory + 28] = struct.pack("<I", 10)
    ((_, _, rule, _),) = list_faults(bytes(packed), dora)
    assert rule == "R763"


def test_a_file_that_was_changed_or_is_missing(dora, content):
    members = read_members(content)
    packed = pack(members)
    with zipfile.ZipFile(BytesIO(packed)) as archive:
        manifest = archive.read("manifest.json")
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data + b" ")
        archive.writestr("manifest.json", manifest)
    ((_, _, rule, message),) = list_faults(out.getvalue(), dora)
    assert (rule, "was changed after" in message) == ("R763", True)
    ((_, _, rule, message),) = list_faults(pack({"a": b""}), dora)
    assert (rule, "the archive has no such file" in message) == ("R763", True)
    assert list_faults(b"PK\x03\x04", dora)[0][2] == "R401"


def set_in(*path):
    """A change of a document: the value at the path becomes the last one."""
    *names, last, value = path

    def change(document):
        for name in names:
            document = document[name]
        document[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "rule", "part"),
    [
        (set_in("challenge", "name", ["a"]), "R765", "name: "),
        (set_in("challenge", "slug", "../x"), "R765", "slug: "),
        (set_in("challenge", "entrance", "anybody"), "R765", "entrance: "),
        (set_in("challenge", None), "R763", "“challenge”"),
        (set_in("tasks", 0, "kind", "poem"), "R765", "tasks.0.kind: "),
        (set_in("tasks", 0, "primary", "charm"), "R765", "tasks.0"),
        (set_in("tasks", {}), "R763", "“tasks”"),
        (set_in("phases", 0, "sort", "test2"), "R763", "no type"),
        (set_in("phases", 0, "sort", ["training"]), "R763", "no type"),
        (set_in("phases", 0, "corpus", "slug", "a\x00b"), "R763", "U+0000"),
        (set_in("phases", 0, "corpus", "slug", ["x"]), "R765", "corpora.0.slug"),
        (set_in("phases", 0, "corpus", 3), "R763", "the corpus of the training phase"),
        (set_in("phases", 0, "closes", 7), "R763", "a date"),
        (set_in("phases", 0, "tries", 10**30), "R765", "phases.0.tries"),
        (set_in("phases", 0, "excluded", [{"article": "999", "reason": "x"}]), "R763", "an excluded article"),
        (set_in("parts", 0, "task", "ELSE"), "R763", "a part is not"),
        (set_in("parts", 1, "task", "ACT"), "R763", "a part is not"),
        (set_in("parts", 0, "folder", "../.."), "R763", "the archive has no such file"),
        (set_in("parts", 1, "folder", "training/ACT"), "R763", "a part is not"),
    ],
)
def test_a_document_that_no_site_would_write(dora, content, change, rule, part):
    source, line, found, message = list_faults(change_json(content, "challenge.json", change), dora)[0]
    assert (line, found, part in message) == (0, rule, True), message
    assert source.endswith(".json") or source.endswith("gold.tsv")


def test_a_document_that_is_nested_too_deeply(dora, content):
    deep = change_text(content, "challenge.json", lambda text: "[" * 100_000)
    assert list_faults(deep, dora)[0][:3] == ("challenge.json", 0, "R763")


ARTICLES = "training/articles.tsv"
SECOND = "102\t102\t10.1000/102\t\tyes\n"


def replace_second_article(content, line):
    return change_text(content, ARTICLES, lambda text: text.replace(SECOND, line))


def test_articles_that_the_site_does_not_have_and_that_are_there_twice(dora, content):
    unknown = replace_second_article(content, "999\t999\t10.1000/999\t\tyes\n")
    assert list_faults(unknown, dora) == [
        (ARTICLES, 3, "R764", "the article “999” is not on this site - upload it first")
    ]
    same = replace_second_article(content, "other\t101\t\t\tyes\n")
    assert "are the same article" in list_faults(same, dora)[0][3]
    named = replace_second_article(content, "102\t999\t\t\tyes\n")
    assert "the article “999” is not on this site" in list_faults(named, dora)[0][3]
    both = replace_second_article(content, "102\t102\t10.1000/103\t\tyes\n")
    assert "are those of two articles" in list_faults(both, dora)[0][3]
    for line, part in (
        (SECOND + SECOND, "is there twice"),
        ("a b\t102\t\t\tyes\n", "not that of an article"),
        ("102\t102\n", "not that of an article"),
        ("102\t1 2\t\t\tyes\n", "an identifier"),
    ):
        assert part in list_faults(replace_second_article(content, line), dora)[0][3]
    assert "unknown columns" in list_faults(change_text(content, ARTICLES, lambda text: "x"), dora)[0][3]


def test_more_articles_than_a_form_takes(dora, content):
    many = change_text(content, ARTICLES, lambda text: text + "".join(f"{n}\t{n}\t\t\tyes\n" for n in range(10_000)))
    assert list_faults(many, dora)[0][2:] == (
        "R764",
        "the phase has 10,004 articles, more than 10,000 - ask the administrator",
    )


def test_a_blind_article_of_others_is_like_an_unknown_one(dora, content):
    blind = make_corpus("hidden", (501,), blind=True).articles.get()
    answers = []
    for opaque in (blind.opaque, "B0123456789abcdef"):
        hidden = list_faults(replace_second_article(content, f"{opaque}\t\t\t\tyes\n"), dora)
        answers.append([(*row[:3], row[3].replace(opaque, "X")) for row in hidden])
    assert answers[0] == answers[1] and "has no PMID, DOI or PMCID" in answers[0][0][3]


def test_a_run_or_gold_standard_with_faults_stores_nothing(dora, played):
    for name, rule in (("training/ACT/gold.tsv", "R508"), ("training/GN/gold.tsv", "R508")):
        wrong = change_text(played, name, lambda text: text + "999\t1\n")
        source, line, found, _ = list_faults(wrong, dora)[0]
        assert (source, line > 1, found) in ((name, True, rule), (name, True, "R502"), (name, True, "R501"))
    run = next(name for name in read_members(played) if name.startswith("training/GN/runs/001"))
    assert list_faults(change_text(played, run, lambda text: text + "101\n"), dora)[0][:2] == (run, 5)


@pytest.mark.parametrize(
    "change",
    [
        set_in("runs", 0, "stem", "../../gold"),
        set_in("runs", 0, "stem", 5),
        set_in("runs", 0, "name", {}),
        set_in("runs", 0, "team", {"name": []}),
        set_in("runs", {}),
        set_in("runs", [3]),
    ],
)
def test_runs_that_no_site_would_write(dora, played, change):
    assert list_faults(change_json(played, "training/GN/scores.json", change), dora)[0][2] == "R763"


def test_runs_that_share_a_file_or_are_too_many(dora, played, monkeypatch):
    name = "training/GN/scores.json"
    twice = change_json(played, name, lambda document: document["runs"].append(document["runs"][0]))
    assert "two runs have the same files" in list_faults(twice, dora)[0][3]
    monkeypatch.setattr(imported_runs, "MOST_RUNS", 1)
    assert "more than 1" in list_faults(played, dora)[0][3]


def test_results_that_no_site_would_write(dora, played):
    name = next(name for name in read_members(played) if name.startswith("training/GN/results/001"))
    for wrong in ("3\n", '{"article": 5}\n', "{\n"):
        assert list_faults(change_text(played, name, lambda text, line=wrong: text + line), dora)[0][2] == "R763"


def test_names_in_it_are_text(dora, played):
    changed = change_json(played, "training/GN/scores.json", set_in("runs", 0, "team", {"name": "<script>\u202e" * 50}))
    create_draft_from_archive(changed, "example.zip", dora, {"slug": "mine"})
    run = Run.objects.filter(phase__challenge__slug="mine", imported_team__startswith="<script>").get()
    assert len(run.imported_team) == 200 and len(run.producer.name) <= 200
    assert run.team is None


def test_nothing_of_others_changes(dora, played):
    def load_texts():
        return list(Article.objects.filter(blind=False).order_by("pk").values())

    texts, owners = load_texts(), list(CorpusOwner.objects.values())
    create_draft_from_archive(played, "example.zip", dora, {})
    assert load_texts() == texts
    assert list(CorpusOwner.objects.filter(challenge__slug="example").values()) == owners
    assert json.loads(read_members(played)["challenge.json"])["teams"]
    assert not Challenge.objects.get(slug="example-2").entrants.exists()


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("challenge.json", archive_reader.MOST_CHALLENGE_BYTES),
        ("training/ACT/scores.json", archive_reader.MOST_JSON_BYTES),
    ],
)
def test_a_document_that_is_too_large(dora, content, name, most):
    ((source, _, rule, message),) = list_faults(change_text(content, name, lambda text: text + " " * most), dora)
    assert (source, rule) == (name, "R763") and f"larger than {most >> 20} MiB" in message


def test_more_runs_than_are_scored_for_one_archive(dora, played, monkeypatch):
    monkeypatch.setattr(creation, "MOST_RUNS_OF_ARCHIVE", 3)
    assert "more than 3 runs" in list_faults(played, dora)[0][3]


LONG = "x" * 100_000


def make_manifest(archive_format="bcms-challenge-2", **files):
    return json.dumps({"format": archive_format, "files": {name: {"sha256": ""} for name in files}})


@pytest.mark.parametrize(
    "change",
    [
        lambda content: change_json(content, "challenge.json", set_in("challenge", "entrance", LONG)),
        lambda content: change_json(content, "challenge.json", set_in("tasks", 0, "settings", {LONG: 1})),
        lambda content: change_json(content, "challenge.json", set_in("phases", 0, "upload_caps", {LONG: 1})),
        lambda content: change_json(content, "challenge.json", set_in("parts", 0, "folder", LONG)),
        lambda content: pack_manifest(make_manifest(LONG)),
        lambda content: pack_manifest(make_manifest(**{f"\u202e{LONG}": ""})),
    ],
)
def test_messages_are_short_whatever_the_archive_says(dora, content, change):
    archive = store_draft_archive(change(content), "example.zip", dora, {})
    assert process_draft_archive_unless_busy(archive.pk) == "rejected"
    archive.refresh_from_db()
    ((_, _, rule, message),) = archive.faults
    assert rule in ("R763", "R765") and 50 < len(message) < 1000 and "\u202e" not in message
    assert message.endswith(("from the site that made it", "create the archive again", "update BCMS"))


def pack_manifest(manifest):
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", manifest)
    return out.getvalue()
