"""Copies, definitions and archives of a challenge keep its pictures, and deleting the challenge deletes them."""

import json
import zipfile
from hashlib import sha256

import pytest
import yaml
from django.contrib.auth.models import Permission

from annotations.formats.errors import RefusedFileError
from bcms.challenge_definitions import creation
from bcms.challenge_definitions.copying import copy_challenge
from bcms.challenge_definitions.creation import create_challenge_from_file
from bcms.challenge_definitions.export import build_definition, format_definition_yaml
from bcms.draft_archives.creation import create_draft_from_archive
from bcms.lib.pictures import sandbox
from bcms.lib.pictures.reader import read_picture
from evaluation.archives import pictures as archived_pictures
from evaluation.archives.errors import ChallengeArchiveError
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.challenges.deletion.challenge_deletion import delete_challenge_without_runs
from evaluation.challenges.models import Challenge, ChallengeState
from evaluation.challenges.pictures import storage
from evaluation.challenges.pictures.models import ChallengePicture
from evaluation.challenges.pictures.storage import NewPicture, add_pictures
from tests.drawn_pictures import draw, save
from tests.integration.archive_cast import write_challenge_archive
from tests.integration.bcms.draft_archives.packing import change_json, pack, read_members

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(olga):
    """An organizer who may create challenges."""
    olga.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    return olga


@pytest.fixture
def pictured(challenge):
    """The description shows one of two pictures."""
    colors = {"flow.png": "navy", "plan.png": "olive"}
    new = [
        NewPicture(name, read_picture(save(draw(color=color))), f"The {color} one") for name, color in colors.items()
    ]
    shown, _ = add_pictures(challenge, new)
    challenge.description = f"![The flow]({shown.name})"
    challenge.save()
    return challenge


@pytest.fixture
def archive(pictured, tmp_path):
    return write_challenge_archive(pictured, tmp_path / "example.zip")


def list_shown_pictures(challenge):
    """Those that its description shows."""
    return [row for row in list_pictures(challenge) if row[0] in challenge.description]


def list_pictures(challenge):
    names = ("name", "file_name", "alternative_text", "width", "height", "size")
    return [
        (*row, bytes(content)) for *row, content in challenge.pictures.order_by("pk").values_list(*names, "content")
    ]


def test_a_copy_has_the_pictures_and_shows_them(client, pictured, olga):
    copy = copy_challenge(pictured, "Copy", "copy", olga).challenge
    assert list_pictures(copy) == list_pictures(pictured)
    client.force_login(olga)
    name = pictured.pictures.order_by("pk").first().name
    assert (
        f'<img src="/challenges/copy/pictures/{name}" alt="The flow"'
        in client.get("/challenges/copy/").content.decode()
    )


def test_a_definition_names_pictures_that_the_site_has(pictured, olga, django_assert_num_queries):
    with django_assert_num_queries(5):
        definition = build_definition(pictured)
    assert [list(each) for each in definition["pictures"]] == [["name", "alternative_text"]] * 2
    text = yaml.safe_dump(yaml.safe_load(format_definition_yaml(pictured)) | {"slug": "next", "phases": []})
    assert list_pictures(create_challenge_from_file(text.encode(), "new.yaml", olga)) == list_pictures(pictured)


def test_a_definition_takes_no_picture_that_its_organizer_does_not_see(pictured, carol):
    Challenge.objects.update(state=ChallengeState.DRAFT)
    name = pictured.pictures.order_by("pk").first().name
    text = f"name: New\nslug: next\npictures:\n  - name: {name}\n"
    with pytest.raises(RefusedFileError) as error:
        create_challenge_from_file(text.encode(), "new.yaml", carol)
    (fault,) = error.value.faults
    assert (fault.line, fault.message) == (
        4,
        "pictures.0.name: No challenge that you can see has this picture. Remove it here, and upload it to the new "
        "challenge after that.",
    )
    assert not Challenge.objects.filter(slug="next").exists()


def test_an_archive_has_the_pictures_where_its_first_page_finds_them(pictured, archive):
    with zipfile.ZipFile(archive) as files:
        page = files.read("boards/index.html").decode()
        ((name, *_, content),) = list_shown_pictures(pictured)
        assert files.read(f"pictures/{name}") == content
        # An archive is public, and what the description does not show is for organizers.
        assert [name for name in files.namelist() if name.startswith("pictures/")] == [f"pictures/{name}"]
    assert f'<img src="../pictures/{pictured.pictures.order_by("pk").first().name}" alt="The flow"' in page


def test_a_restored_challenge_has_the_pictures(pictured, archive):
    restored = restore_challenge_unless_restored_before(archive, "again").challenge
    assert list_pictures(restored) == list_shown_pictures(pictured)


def test_a_draft_of_an_archive_has_the_pictures(pictured, archive, olga):
    draft = create_draft_from_archive(archive.read_bytes(), "example.zip", olga).challenge
    assert list_pictures(draft) == list_shown_pictures(pictured)


def put_other_picture(content, other):
    """The archive with other content under the name of its first picture."""
    members = read_members(content)
    name = next(name for name in members if name.startswith("pictures/"))
    return pack(members | {name: other})


def remove_pictures(content):
    return pack({name: each for name, each in read_members(content).items() if not name.startswith("pictures/")})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda content: put_other_picture(content, b"<svg onload='alert()'/>"), "is no picture of a challenge"),
        (lambda content: put_other_picture(content, save(draw())), "is no picture of a challenge"),
        (
            lambda content: put_other_picture(content, read_picture(save(draw())).content),
            "has the name of another picture",
        ),
        (remove_pictures, "The archive has no file pictures/"),
        (
            lambda content: change_json(content, "challenge.json", lambda each: each.update(pictures=5)),
            "cannot be read",
        ),
        (
            lambda content: change_json(
                content, "challenge.json", lambda each: each.update(pictures=2 * each["pictures"])
            ),
            "names a picture twice",
        ),
        (
            lambda content: change_json(content, "challenge.json", lambda each: each.update(pictures=[{"name": "x"}])),
            "no valid file_name",
        ),
    ],
)
def test_an_archive_with_other_pictures_is_refused(pictured, archive, olga, tmp_path, change, problem):
    changed = change(archive.read_bytes())
    with pytest.raises(RefusedFileError) as error:
        create_draft_from_archive(changed, "example.zip", olga)
    assert problem in error.value.faults[0].message
    path = tmp_path / "changed.zip"
    path.write_bytes(changed)
    with pytest.raises(ChallengeArchiveError, match=problem):
        restore_challenge_unless_restored_before(path, "again")
    assert Challenge.objects.count() == 1
    assert ChallengePicture.objects.count() == 2


def test_it_unpacks_no_pictures_that_are_too_large_together(pictured, olga, tmp_path, monkeypatch):
    pictured.description = " ".join(f"![x]({name})" for name, *_ in list_pictures(pictured))
    pictured.save()
    content = write_challenge_archive(pictured, tmp_path / "example.zip").read_bytes()
    monkeypatch.setattr(archived_pictures, "MOST_STORED_BYTES", 60)
    monkeypatch.setattr(archived_pictures, "check_page_picture_in_sandbox", lambda content: pytest.fail("unpacked"))
    with pytest.raises(RefusedFileError) as error:
        create_draft_from_archive(content, "example.zip", olga)
    assert "The pictures in the archive take more than" in error.value.faults[0].message


def test_a_busy_reader_is_not_the_fault_of_the_archive(archive, olga, monkeypatch):
    monkeypatch.setattr(sandbox.sys, "executable", "/bin/false")
    with pytest.raises(RefusedFileError) as error:
        create_draft_from_archive(archive.read_bytes(), "example.zip", olga)
    assert "could not be checked. Reading the picture takes more than" in error.value.faults[0].message


@pytest.fixture
def old_description(pictured):
    """From before there were pictures: it has one of another site, and one without alternative text."""
    name = pictured.pictures.order_by("pk").first().name
    pictured.description = f"![x](https://example.org/a.png) ![]({name})"
    pictured.save()
    return pictured


FAULTS = ("Correct the description: Pictures of other sites are not shown", "has no alternative text")


def test_a_copy_has_an_old_description_and_says_what_is_wrong_with_it(client, old_description, olga):
    client.force_login(olga)
    page = client.post("/challenges/example/copy/", {"name": "Copy", "slug": "copy"}, follow=True).content.decode()
    assert [fault in page for fault in FAULTS] == [True, True]
    assert Challenge.objects.get(slug="copy").description == old_description.description


def test_a_draft_has_an_old_description_and_says_what_is_wrong_with_it(old_description, olga, tmp_path):
    content = write_challenge_archive(old_description, tmp_path / "old.zip").read_bytes()
    created = create_draft_from_archive(content, "old.zip", olga)
    assert [any(fault in note for note in created.notes) for fault in FAULTS] == [True, True]
    assert created.challenge.description == old_description.description


def define(text):
    return f"name: New\nslug: next\n{text}\n".encode()


def test_a_definition_cannot_have_pictures_that_are_not_there(pictured, olga):
    name = pictured.pictures.order_by("pk").first().name
    named = f"pictures:\n  - name: {name}"
    sent = [(f"![x]({name})", ""), ("![x](https://example.org/a.png)", ""), (f"![]({name})", named)]
    for description, pictures in sent:
        text = f'description: "{description}"\n{pictures}'
        with pytest.raises(RefusedFileError) as error:
            create_challenge_from_file(define(text), "new.yaml", olga)
        (fault,) = error.value.faults
        assert (fault.line, fault.message.startswith("description: ")) == (3, True)
    assert not Challenge.objects.filter(slug="next").exists()


def test_a_definition_names_a_picture_once(pictured, olga):
    name = pictured.pictures.order_by("pk").first().name
    with pytest.raises(RefusedFileError, match=r"pictures\.1\.name: The definition names this picture twice"):
        create_challenge_from_file(define(f"pictures:\n  - name: {name}\n  - name: {name}"), "new.yaml", olga)


def test_a_definition_reads_no_pictures_that_are_too_large_together(pictured, olga, monkeypatch):
    monkeypatch.setattr(storage, "MOST_STORED_BYTES", 60)
    monkeypatch.setattr(creation, "load_picture_contents", lambda pictures: pytest.fail("read"))
    names = "".join(f"\n  - name: {name}" for name, *_ in list_pictures(pictured))
    with pytest.raises(RefusedFileError, match="pictures: The pictures of New would take more than"):
        create_challenge_from_file(define(f"pictures:{names}"), "new.yaml", olga)


def test_a_definition_takes_no_picture_that_only_other_organizers_see(pictured, carol):
    shown, other = (name for name, *_ in list_pictures(pictured))
    with pytest.raises(RefusedFileError, match="No challenge that you can see has this picture"):
        create_challenge_from_file(define(f"pictures:\n  - name: {other}"), "new.yaml", carol)
    new = create_challenge_from_file(define(f"pictures:\n  - name: {shown}"), "new.yaml", carol)
    assert new.pictures.get().name == shown


def test_an_archive_without_pictures_is_as_it_was(challenge, tmp_path):
    with zipfile.ZipFile(write_challenge_archive(challenge, tmp_path / "plain.zip")) as files:
        assert "pictures" not in json.loads(files.read("challenge.json"))


def test_deleting_the_challenge_deletes_its_pictures(pictured):
    delete_challenge_without_runs(pictured)
    assert not ChallengePicture.objects.exists()


def test_names_are_hashes_of_the_content(pictured):
    for name, *_, content in list_pictures(pictured):
        assert name == f"{sha256(content).hexdigest()[:24]}.webp"
