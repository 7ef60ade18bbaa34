"""Organizers have the archive of their challenge made by a worker, and download it."""

import re
import zipfile
from hashlib import sha256
from io import BytesIO

import pytest

from evaluation import tasks
from evaluation.archives import jobs
from evaluation.archives.models import ArchivePiece, ChallengeArchive
from tests.integration.archive_cast import write_challenge_archive

pytestmark = pytest.mark.django_db
PAGE = "/challenges/example/archive/"
API = "/api/v1/challenges/example/archive/"


def read_page_text(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_an_organizer_gets_the_archive_that_the_command_writes(challenge, organizer, tmp_path):
    assert "No archive yet" in read_page_text(organizer.get(PAGE))
    assert organizer.get(f"{PAGE}file/").status_code == 404
    organizer.post(PAGE)
    assert "Creating the archive" in read_page_text(organizer.get(PAGE))
    assert tasks.make_requested_archives_unless_busy() == "made"
    assert "example.zip" in read_page_text(organizer.get(PAGE))
    reply = organizer.get(f"{PAGE}file/")
    content = reply.getvalue()
    assert content == write_challenge_archive(challenge, tmp_path / "a.zip").read_bytes()
    assert (int(reply["Content-Length"]), reply["Content-Type"]) == (len(content), "application/zip")
    assert sha256(content).hexdigest() == ChallengeArchive.objects.get().sha256
    assert zipfile.ZipFile(BytesIO(content)).testzip() is None


def test_it_is_kept_in_pieces_and_made_anew_in_their_place(challenge, organizer, monkeypatch):
    monkeypatch.setattr(jobs, "ARCHIVE_PIECE_BYTES", 1000)
    jobs.enqueue_archive_discarding_finished_one(challenge, None)
    assert tasks.make_requested_archives_unless_busy() == "made"
    assert [len(bytes(piece.body)) for piece in ArchivePiece.objects.order_by("number")][:-1].count(1000) > 5
    first = organizer.get(f"{PAGE}file/").getvalue()
    jobs.enqueue_archive_discarding_finished_one(challenge, None)
    assert not ArchivePiece.objects.exists()
    tasks.make_requested_archives_unless_busy()
    assert organizer.get(f"{PAGE}file/").getvalue() == first


def test_what_is_being_made_goes_on_when_it_is_asked_for_again(challenge, olga):
    first = jobs.enqueue_archive_discarding_finished_one(challenge, olga)
    assert jobs.enqueue_archive_discarding_finished_one(challenge, None) == first
    assert tasks.make_requested_archives_unless_busy() == "made"
    assert tasks.make_requested_archives_unless_busy() == "none"


def test_the_page_follows_the_worker(challenge, organizer, olga):
    jobs.enqueue_archive_discarding_finished_one(challenge, olga)
    version = re.search(r'data-version="([^"]+)"', organizer.get(PAGE).content.decode())[1]
    assert organizer.get(f"{PAGE}live/", {"v": version}).status_code == 204
    ChallengeArchive.objects.update(begun=1, done=1, total=4)
    assert "Creating the archive, 25 %" in read_page_text(organizer.get(f"{PAGE}live/", {"v": version}))


def test_a_worker_that_dies_leaves_it_to_the_next_but_not_for_ever(challenge, organizer):
    jobs.enqueue_archive_discarding_finished_one(challenge, None)
    ChallengeArchive.objects.update(begun=2)
    ArchivePiece.objects.create(archive=ChallengeArchive.objects.get(), number=0, body=b"half")
    assert tasks.make_requested_archives_unless_busy() == "made"
    jobs.enqueue_archive_discarding_finished_one(challenge, None)
    ChallengeArchive.objects.update(begun=3)
    assert tasks.make_requested_archives_unless_busy() == "given up"
    assert "This is an error on our side" in read_page_text(organizer.get(PAGE))
    assert organizer.get(f"{PAGE}file/").status_code == 404


def test_it_is_for_organizers_alone(challenge, client, carol):
    jobs.enqueue_archive_discarding_finished_one(challenge, None)
    tasks.make_requested_archives_unless_busy()
    for ending in ("", "live/", "file/"):
        assert client.get(PAGE + ending).status_code == 302
    assert client.get(f"{API}file/").status_code == 401
    client.force_login(carol)
    for address in (PAGE, f"{PAGE}live/", f"{PAGE}file/", API, f"{API}file/"):
        assert client.get(address).status_code == 403, address
    for address in (PAGE, API):
        assert client.post(address).status_code == 403, address


def test_it_is_made_and_downloaded_by_rest(challenge, organizer, tmp_path):
    assert organizer.get(API).status_code == 404
    reply = organizer.post(API)
    assert (reply.status_code, reply.json()["finished"]) == (202, None)
    assert organizer.get(f"{API}file/").status_code == 404
    tasks.make_requested_archives_unless_busy()
    told = organizer.get(API).json()
    assert (told["percent"], told["failed"]) == (100, False)
    content = b"".join(organizer.get(f"{API}file/").streaming_content)
    assert (len(content), sha256(content).hexdigest()) == (told["size"], told["sha256"])


def test_it_asks_little_of_the_database(challenge, organizer, olga, django_assert_num_queries):
    jobs.enqueue_archive_discarding_finished_one(challenge, olga)
    tasks.make_requested_archives_unless_busy()
    # Session, user, challenge, organizer, archive; the second time nothing is left to be learned.
    organizer.get(PAGE)
    with django_assert_num_queries(5):
        organizer.get(f"{PAGE}live/")
