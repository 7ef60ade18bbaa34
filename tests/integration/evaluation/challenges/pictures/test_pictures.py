"""Organizers upload pictures for the description of their challenge, and those who see the challenge see them."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from bcms.lib.pictures import sandbox
from bcms.lib.pictures.reader import read_picture
from bcms.lib.rest import limits
from bcms.lib.writing.markdown import list_pictures_in_markdown
from evaluation.challenges.models import Challenge, ChallengeState
from evaluation.challenges.pictures import forms, storage, views
from evaluation.challenges.setup import forms as setup_forms
from servers.audit.models import AuditEvent
from tests.drawn_pictures import draw, load, save
from tests.integration.evaluation_cast import create_listed_challenge

pytestmark = pytest.mark.django_db

ADDRESS = "/challenges/example/pictures/"
DESCRIPTION = "/challenges/example/description/"
PUBLIC, PRIVATE = "public, max-age=600", "private, no-cache"
REST = "/api/v1/challenges/example/pictures/"


@pytest.fixture
def organizer(client, olga, challenge):
    client.force_login(olga)
    return client


def make_file(content=None, name="flow.png"):
    return SimpleUploadedFile(name, save(draw()) if content is None else content)


def upload(client, *files, follow=True):
    return client.post(ADDRESS, {"pictures": list(files) or [make_file()]}, follow=follow)


def describe(challenge, text):
    Challenge.objects.filter(pk=challenge.pk).update(description=text)


def read_rules(challenge, **changes):
    names = ("name", "description", "entrance", "file_rules")
    return {name: getattr(challenge, name) for name in names} | changes


def test_it_shows_an_uploaded_picture_in_the_description(organizer, challenge):
    page = upload(organizer)
    assert "1 picture uploaded." in page.content.decode()
    picture = challenge.pictures.get()
    assert (picture.file_name, picture.width, picture.height) == ("flow.png", 60, 40)
    assert f"![]({picture.name})" in page.content.decode()
    saved = organizer.post(DESCRIPTION, read_rules(challenge, description=f"See ![The flow]({picture.name})."))
    assert saved.status_code == 302
    shown = Client().get("/challenges/example/").content.decode()
    tag = f'<img src="{ADDRESS}{picture.name}" alt="The flow" width="60" height="40" loading="lazy">'
    assert f"<p>See {tag}.</p>" in shown


def test_it_serves_a_picture_that_caches_keep_for_minutes(organizer, challenge):
    upload(organizer)
    name = challenge.pictures.get().name
    describe(challenge, f"![Flow]({name})")
    answer = Client().get(ADDRESS + name)
    assert (answer.status_code, answer["Content-Type"], answer["Cache-Control"]) == (200, "image/webp", PUBLIC)
    assert (answer["X-Content-Type-Options"], answer["ETag"]) == ("nosniff", f'"{name}"')
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert load(answer.content).format == "WEBP"
    again = Client().get(ADDRESS + name, headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content, again["Cache-Control"]) == (304, b"", PUBLIC)
    assert organizer.get(ADDRESS + name)["Cache-Control"] == PUBLIC


def test_only_organizers_see_pictures_that_the_description_does_not_show(organizer, challenge, carol, admin_client):
    upload(organizer)
    name = challenge.pictures.get().name
    reader = Client()
    reader.force_login(carol)
    for other in (Client(), reader):
        assert other.get(ADDRESS + name).status_code == 404
        assert other.get(REST).json() == []
    for one_of_them in (organizer, admin_client):
        answer = one_of_them.get(ADDRESS + name)
        assert (answer.status_code, answer["Cache-Control"]) == (200, PRIVATE)
        assert [each["name"] for each in one_of_them.get(REST).json()] == [name]
    describe(challenge, f"![Flow]({name})")
    assert Client().get(ADDRESS + name).status_code == 200
    assert [each["name"] for each in Client().get(REST).json()] == [name]


def test_it_shows_the_pictures_of_a_draft_to_its_organizers_alone(organizer, challenge, carol):
    upload(organizer)
    name = challenge.pictures.get().name
    describe(challenge, f"![Flow]({name})")
    Challenge.objects.update(state=ChallengeState.DRAFT)
    answer = organizer.get(ADDRESS + name)
    assert (answer.status_code, answer["Cache-Control"]) == (200, PRIVATE)
    other = Client()
    assert other.get(ADDRESS + name).status_code == 404
    assert other.get("/api/v1/challenges/example/pictures/").status_code == 404
    other.force_login(carol)
    assert other.get(ADDRESS + name).status_code == 404


def test_it_finds_no_picture_of_another_challenge(organizer, challenge, olga):
    upload(organizer)
    create_listed_challenge("Other", "other", "", olga)
    name = challenge.pictures.get().name
    assert organizer.get(f"/challenges/other/pictures/{name}").status_code == 404
    assert organizer.get(ADDRESS + "0" * 24 + ".webp").status_code == 404


def test_it_stores_all_pictures_of_a_request_or_none(organizer, challenge):
    page = upload(organizer, make_file(), make_file(b"<svg/>", "logo.svg"), make_file(b"GIF89a", "cut.gif"))
    assert page.status_code == 422
    text = page.content.decode()
    assert "logo.svg: The file is not a PNG, JPEG, WebP or GIF picture" in text
    assert "cut.gif: The file is not" in text
    assert not challenge.pictures.exists()
    page = upload(organizer, make_file(), make_file(save(draw(color="navy"), "JPEG"), "photo.jpg"))
    assert "2 pictures uploaded." in page.content.decode()
    assert [each.file_name for each in challenge.pictures.order_by("pk")] == ["flow.png", "photo.jpg"]


def test_it_tries_no_more_pictures_once_the_reader_crashed(organizer, challenge, monkeypatch):
    monkeypatch.setattr(sandbox.sys, "executable", "/bin/false")
    text = upload(organizer, make_file(), make_file(name="second.png")).content.decode()
    assert ("flow.png: Reading the picture takes" in text, "second.png" in text) == (True, False)
    assert not challenge.pictures.exists()


def test_it_tries_no_more_pictures_once_reading_takes_too_long(organizer, challenge, monkeypatch):
    clock = iter(range(0, 1000, 15))
    monkeypatch.setattr(forms, "monotonic", lambda: next(clock))
    read = []
    monkeypatch.setattr(forms, "read_picture_in_sandbox", lambda content: read.append(content) or read_picture(content))
    page = upload(organizer, *(make_file(name=f"{number}.png") for number in range(4)))
    assert (page.status_code, len(read), challenge.pictures.count()) == (422, 1, 0)
    assert "1.png: Reading these pictures takes too long. Upload fewer at a time." in page.content.decode()


def change_while_reading(monkeypatch, change):
    """Reading a picture takes seconds, in which others can do something."""

    def read_and_change(content):
        change()
        return read_picture(content)

    monkeypatch.setattr(forms, "read_picture_in_sandbox", read_and_change)


def test_an_organizer_who_is_removed_while_a_picture_is_read_stores_none(organizer, challenge, olga, monkeypatch):
    change_while_reading(monkeypatch, lambda: challenge.organizers.remove(olga))
    page = upload(organizer)
    assert (page.status_code, challenge.pictures.count()) == (422, 0)
    assert f"You do not organize {challenge} any more." in page.content.decode()
    challenge.organizers.add(olga)
    answer = organizer.post(REST, {"file": make_file()})
    assert (answer.status_code, challenge.pictures.count()) == (409, 0)


def test_a_challenge_that_is_deleted_while_a_picture_is_read_is_missed(organizer, challenge, monkeypatch):
    change_while_reading(monkeypatch, lambda: Challenge.objects.filter(pk=challenge.pk).delete())
    answer = organizer.post(REST, {"file": make_file()})
    assert (answer.status_code, answer.json()["detail"]) == (409, f"{challenge} was deleted in the meantime.")


@pytest.mark.parametrize("action", ["text", "delete"])
def test_a_picture_that_is_deleted_at_the_same_time_is_missed(organizer, challenge, monkeypatch, action):
    upload(organizer)
    picture = challenge.pictures.get()
    find = views._get_picture

    def find_and_delete(*args):
        found = find(*args)
        challenge.pictures.all().delete()
        return found

    monkeypatch.setattr(views, "_get_picture", find_and_delete)
    events = AuditEvent.objects.count()
    page = organizer.post(f"{ADDRESS}{picture.name}/{action}/", {"alternative_text": "x", "confirm": "on"}, follow=True)
    assert "flow.png was deleted in the meantime." in page.content.decode()
    assert AuditEvent.objects.count() == events


@pytest.mark.parametrize("source", ["0f.webp", "https://example.org/a.png"])
def test_a_new_challenge_has_no_pictures_yet(admin_client, source):
    sent = {"name": "New", "slug": "next", "description": f"![Flow]({source})"}
    page = admin_client.post("/challenges/new/", sent)
    assert page.status_code == 422
    assert f"A new challenge has no pictures, so {source} would not be shown." in page.content.decode()
    answer = admin_client.post("/api/v1/challenges/", sent, "application/json")
    assert (answer.status_code, answer.json()["errors"][0]["loc"]) == (400, "description")
    assert not Challenge.objects.filter(slug="next").exists()


def test_it_stores_the_same_picture_once(organizer, challenge):
    upload(organizer)
    upload(organizer, make_file(), make_file(name="same.png"))
    assert challenge.pictures.get().file_name == "flow.png"


def test_it_says_that_an_animation_became_still(organizer):
    film = save(draw(), "GIF", save_all=True, append_images=[draw(color="navy")])
    assert (
        "film.gif was animated: its first frame was kept."
        in upload(organizer, make_file(film, "film.gif")).content.decode()
    )


def test_it_limits_pictures_and_bytes(organizer, challenge, monkeypatch):
    monkeypatch.setattr(storage, "MOST_PICTURES", 1)
    assert upload(organizer).status_code == 200
    page = upload(organizer, make_file(save(draw(color="navy"))))
    assert (page.status_code, challenge.pictures.count()) == (422, 1)
    assert "would have 2 pictures, and 1 are the most" in page.content.decode()
    # What is there already is no more.
    assert upload(organizer).status_code == 200
    monkeypatch.setattr(storage, "MOST_PICTURES", 40)
    monkeypatch.setattr(storage, "MOST_STORED_BYTES", 10)
    page = upload(organizer, make_file(save(draw(color="navy"))))
    assert (page.status_code, challenge.pictures.count()) == (422, 1)


def test_it_refuses_large_files(organizer, challenge):
    page = upload(organizer, make_file(bytes(5 * 1024 * 1024 + 1), "large.png"))
    assert page.status_code == 422
    assert "large.png: The file is larger than 5 MiB." in page.content.decode()
    assert upload(organizer, make_file(bytes(21 << 20))).status_code == 413
    assert upload(organizer, *(make_file(save(draw())) for _ in range(11))).status_code == 422


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("![]({name})", "has no alternative text. Write what it shows between the brackets: ![What it shows]({name})."),
        ("![x](flow.png)", "The challenge has no picture flow.png. Upload it, or correct its name."),
        ("![x](https://example.org/a.png)", "Pictures of other sites are not shown: upload https://example.org/a.png"),
    ],
)
def test_it_refuses_a_description_whose_pictures_are_not_shown(organizer, challenge, text, fault):
    upload(organizer)
    name = challenge.pictures.get().name
    sent = read_rules(challenge, description=text.format(name=name))
    page = organizer.post(DESCRIPTION, sent)
    assert page.status_code == 422
    assert fault.format(name=name) in page.content.decode()
    by_rest = organizer.put(
        "/api/v1/challenges/example/rules/", sent | {"terms": "", "approve_teams": False}, "application/json"
    )
    assert (by_rest.status_code, by_rest.json()["errors"][0]["loc"]) == (400, "description")


def test_a_picture_that_is_deleted_while_the_description_is_saved_is_missed(organizer, challenge, monkeypatch):
    upload(organizer)
    name = challenge.pictures.get().name
    check = setup_forms.list_picture_faults

    def check_and_delete(*args):
        faults = check(*args)
        challenge.pictures.all().delete()
        return faults

    monkeypatch.setattr(setup_forms, "list_picture_faults", check_and_delete)
    page = organizer.post(DESCRIPTION, read_rules(challenge, description=f"![Flow]({name})"))
    assert page.status_code == 422
    assert f"The challenge has no picture {name}." in page.content.decode()
    assert Challenge.objects.get().description == challenge.description


def test_a_fault_quotes_the_beginning_of_a_long_address(organizer, challenge):
    source = "https://example.org/" + 5000 * "a"
    page = organizer.post(DESCRIPTION, read_rules(challenge, description=f"![{5000 * 'b'}]({source})"))
    fault = page.context["form"].errors["description"][0]
    assert fault.startswith("Pictures of other sites are not shown: upload https://example.org/aaa")
    assert len(fault) < 800


def test_it_leaves_an_earlier_description_alone(organizer, challenge):
    describe(challenge, "![x](https://example.org/a.png)")
    sent = read_rules(challenge, description="![x](https://example.org/a.png)", terms="New terms")
    assert organizer.post(DESCRIPTION, sent).status_code == 302
    assert '<a href="https://example.org/a.png"' in Client().get("/challenges/example/").content.decode()


def test_it_replaces_the_alternative_text(organizer, challenge):
    upload(organizer)
    name = challenge.pictures.get().name
    page = organizer.post(f"{ADDRESS}{name}/text/", {"alternative_text": "A [flow] chart"}, follow=True)
    assert "Alternative text of flow.png saved." in page.content.decode()
    assert challenge.pictures.get().markdown == rf"![A \[flow\] chart]({name})"
    organizer.post(f"{ADDRESS}{name}/text/", {"alternative_text": "*p* &lt; a_b_c <b> `x`"})
    (line,) = list_pictures_in_markdown(challenge.pictures.get().markdown)
    assert line.alternative_text == "*p* &lt; a_b_c <b> `x`"
    organizer.post(f"{ADDRESS}{name}/text/", {"alternative_text": "A [flow] chart"})
    assert AuditEvent.objects.order_by("pk").last().after == {"picture": name, "alternative text": "A [flow] chart"}


def test_it_deletes_a_picture_that_the_description_does_not_show(organizer, challenge, olga):
    upload(organizer)
    name = challenge.pictures.get().name
    describe(challenge, f"![Flow]({ADDRESS}{name})")
    page = organizer.post(f"{ADDRESS}{name}/delete/", {"confirm": "on"}, follow=True)
    assert f"The description shows flow.png. Remove ![…]({name}) from it" in page.content.decode()
    assert challenge.pictures.exists()
    describe(challenge, "")
    assert "Delete flow.png?" in organizer.post(f"{ADDRESS}{name}/delete/").content.decode()
    assert challenge.pictures.exists()
    organizer.post(f"{ADDRESS}{name}/delete/", {"confirm": "on"})
    assert not challenge.pictures.exists()
    event = AuditEvent.objects.order_by("pk").last()
    assert (event.action, event.actor, event.before) == (
        "challenge.changed",
        olga,
        {"picture": name, "file": "flow.png"},
    )


def test_it_lets_only_organizers_change_pictures(organizer, challenge, carol):
    upload(organizer)
    name = challenge.pictures.get().name
    organizer.force_login(carol)
    assert upload(organizer).status_code == 403
    for action in ("text", "delete"):
        assert organizer.post(f"{ADDRESS}{name}/{action}/", {"confirm": "on"}).status_code == 403
    assert organizer.delete(f"/api/v1/challenges/example/pictures/{name}/").status_code == 403


@pytest.mark.parametrize("number", [1, 4])
def test_it_asks_the_database_as_often_for_many_pictures(organizer, challenge, number, django_assert_num_queries):
    upload(organizer, *(make_file(save(draw(color=color))) for color in ("navy", "olive", "gray", "teal")[:number]))
    organizer.get("/challenges/")
    with django_assert_num_queries(6):
        organizer.get(DESCRIPTION)


def test_it_lists_stores_and_deletes_by_rest(organizer, challenge):
    sent = {"file": make_file(), "alternative_text": "The flow"}
    made = organizer.post(REST, sent)
    assert made.status_code == 201
    name = challenge.pictures.get().name
    assert made.json() == {
        "name": name,
        "url": f"http://testserver{ADDRESS}{name}",
        "file_name": "flow.png",
        "alternative_text": "The flow",
        "width": 60,
        "height": 40,
        "size": challenge.pictures.get().size,
        "markdown": f"![The flow]({name})",
    }
    assert organizer.get(REST).json() == [made.json()]
    refused = organizer.post(REST, {"file": make_file(b"no picture")})
    assert (refused.status_code, refused.json()["errors"][0]["loc"]) == (400, "file")
    describe(challenge, f"![The flow]({name})")
    assert Client().get(REST).json() == [made.json()]
    assert organizer.delete(f"{REST}{name}/").status_code == 409
    describe(challenge, "")
    assert organizer.delete(f"{REST}{name}/").status_code == 204
    assert organizer.get(REST).json() == []


def test_a_picture_that_is_sent_again_gets_the_new_alternative_text(organizer, challenge):
    for text, stored in (("", ""), ("One", "One"), ("", "One"), ("Two", "Two")):
        answer = organizer.post(REST, {"file": make_file(), "alternative_text": text})
        assert (answer.status_code, answer.json()["alternative_text"]) == (201, stored)
    assert challenge.pictures.get().alternative_text == "Two"


def test_it_counts_large_pictures_that_are_sent_by_rest_as_those_of_pages(organizer, challenge, settings):
    settings.API_FILES_PER_MINUTE = 1
    large = make_file(bytes(1 << 21))
    for expected in (400, 429):
        large.seek(0)
        assert organizer.post(REST, {"file": large}).status_code == expected
    assert organizer.post(REST, {"file": make_file()}).status_code == 201
    assert upload(organizer, make_file(bytes(1 << 21))).status_code == 429


def test_it_counts_small_pictures_of_pages_and_rest_together(organizer, challenge, monkeypatch):
    monkeypatch.setattr(limits, "MOST_UPLOADS_PER_MINUTE", 1)
    assert organizer.post(REST, {"file": make_file()}).status_code == 201
    assert organizer.post(REST, {"file": make_file()}).status_code == 429
    assert upload(organizer, make_file()).status_code == 429
    assert organizer.get(REST).status_code == 200


def test_it_drops_no_picture_that_is_sent_by_rest(organizer, challenge):
    answer = organizer.post(REST, {"file": [make_file(), make_file(name="second.png")]})
    assert answer.status_code == 400
    assert [(each["loc"], each["message"]) for each in answer.json()["errors"]] == [("file", "Send this field once.")]
    assert not challenge.pictures.exists()
