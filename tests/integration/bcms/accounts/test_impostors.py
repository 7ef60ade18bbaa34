"""Nobody becomes somebody else: by an address that is not confirmed, by a waiting password, or by a name that looks
alike.
"""

from importlib import import_module
from io import StringIO
from urllib.parse import unquote, urlsplit

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, connection
from django.test import Client

from servers.teams.people import find_confirmed_person
from tests.integration.bcms.accounts.test_accounts import EVE, basic, find_logged_in_name, log_in, read_page_source
from tests.integration.provider_cast import confirm_session
from tests.postbox import find_message_link

pytestmark = pytest.mark.django_db

NEW = {"password1": "another long one", "password2": "another long one"}


def sign_up(client, **changes):
    """The response to a sign-up, and its errors for the name."""
    response = client.post("/signup/", {**EVE, **changes})
    return response.context["form"].errors.get("username", []) if response.status_code == 200 else []


def test_it_locks_out_who_signed_up_with_somebody_else_s_address(postbox, challenge, olga):
    attacker, owner, organizer = Client(), Client(), Client()
    sign_up(attacker, username="attacker", email="prof@uni.example")
    link = find_message_link(postbox.one())
    organizer.force_login(olga)
    organizer.post("/challenges/example/appoint/", {"organizer": "prof@uni.example"})
    assert list(challenge.organizers.values_list("username", flat=True)) == ["olga"]
    assert "choose a password" in read_page_source(owner.get(link))
    place = owner.post(link).url
    assert EmailAddress.objects.get(email="prof@uni.example").verified
    assert find_logged_in_name(owner) == ""
    # The password of the attacker is void at once, in the browser that waits, too.
    for client in (attacker, Client()):
        log_in(client, "attacker", EVE["password1"])
        assert find_logged_in_name(client) == ""
    attacker.get("/account/confirm/")
    attacker.get(link)
    assert attacker.post(link).status_code == 404
    assert find_logged_in_name(attacker) == ""
    assert attacker.get("/api/v1/teams/", headers=basic("attacker", EVE["password1"])).status_code == 401
    owner.get(place)
    assert "Your password was changed" in read_page_source(owner.post(place, NEW, follow=True))
    log_in(owner, "prof@uni.example", NEW["password1"])
    assert find_logged_in_name(owner) == "attacker"


def test_it_gives_no_address_to_the_account_of_a_stranger_in_use(as_alice, alice, postbox):
    confirm_session(as_alice, alice)
    as_alice.post("/account/addresses/", {"action_add": "", "email": "prof@uni.example"})
    link = find_message_link(postbox.one())
    owner = Client()
    assert "Log in to confirm" in read_page_source(owner.get(link))
    place = urlsplit(owner.post(link).url)
    assert (place.path, unquote(place.query)) == ("/login/", f"next={urlsplit(link).path}")
    alice.emailaddress_set.filter(email="alice@example.org").delete()
    type(alice).objects.update(last_login="2026-01-01T00:00Z")
    assert owner.post(link).url.startswith("/login/")
    assert not EmailAddress.objects.get(email="prof@uni.example").verified
    as_alice.post(link)
    assert EmailAddress.objects.get(email="prof@uni.example").verified


def test_it_resets_no_password_by_an_address_that_a_stranger_added(as_alice, alice, postbox):
    confirm_session(as_alice, alice)
    as_alice.post("/account/addresses/", {"action_add": "", "email": "prof@uni.example"})
    postbox.one()
    answers = [Client().post("/account/reset/", {"email": name}).url for name in ("prof@uni.example", alice.email)]
    unknown, own = postbox.fetch()
    assert answers == ["/account/reset/sent/"] * 2
    assert (unknown["To"], "alice" in unknown.get_content()) == ("prof@uni.example", False)
    assert "account alice" in own.get_content()


def test_it_still_confirms_in_the_browser_that_signed_up(client, postbox):
    sign_up(client)
    client.post(find_message_link(postbox.one()))
    assert find_logged_in_name(client) == "eve"


@pytest.mark.parametrize("name", ["prof@uni.example", "nobody", "dora", "off"])
def test_it_finds_nobody_by_an_unconfirmed_address(alice, name):
    User.objects.create_user("dora", "prof@uni.example")
    off = User.objects.create_user("off", "off@example.org", is_active=False)
    EmailAddress.objects.create(user=off, email="off@example.org", verified=True)
    assert find_confirmed_person(name) is None


@pytest.mark.parametrize("name", ["alice", "Alice", "alice@example.org", "ALICE@example.org"])
def test_it_finds_people_by_name_and_by_confirmed_address(alice, name):
    # A name that is somebody's address, from the time when such names were allowed, gets in nobody's way.
    User.objects.create_user("alice@example.org", "other@example.org")
    assert find_confirmed_person(name) == alice


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("prof@uni.example", "cannot contain “@”"),
        ("prof uni", "has letters, digits and . + - _ only"),
        ("p" * 151, "at most 150 characters"),
        ("\u0430lice", "mixes letters of Cyrillic and Latin"),
        ("al\u0456ce", "mixes letters of Cyrillic and Latin"),
        ("\u0441\u043e\u0441\u043e", "looks as if it had Latin letters"),
        ("+1", "begins with a letter or a digit"),
        ("=1", "has letters, digits"),
        ("ALICE", "taken"),
        ("\uff41\uff4c\uff49\uff43\uff45", "taken"),
        ("alic\u00e9", "looks like one that is"),
        ("former_member_9", "for closed accounts"),
        ("F\u00f6rmer-Member9", "for closed accounts"),
        ("formermember", "for closed accounts"),
    ],
)
def test_it_refuses_names_that_mislead(client, alice, name, fault):
    assert fault in "".join(sign_up(client, username=name))
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    ("old", "new", "is_free"),
    [
        ("anna.bee", "anna_bee", False),
        ("Zoë-1", "zoe.1", False),
        ("елена.й", "елена_и", False),
        ("anna.bee", "annabee", True),
        ("anna.bee", "anna.beer", True),
        ("かき", "がき", True),
    ],
)
def test_it_compares_names_without_accents_and_with_one_separator(client, db, old, new, is_free):
    User.objects.create_user(old)
    assert (sign_up(client, username=new) == []) == is_free


def test_it_still_logs_in_people_whose_names_look_alike(client, alice):
    other = User.objects.create_user("alicé", "other@example.org", "correct horse battery")
    EmailAddress.objects.create(user=other, email="other@example.org", verified=True, primary=True)
    log_in(client, "alicé", "correct horse battery")
    assert find_logged_in_name(client) == "alicé"


@pytest.mark.parametrize(
    "name", ["former", "former_member_anna", "eve", "josé", "мария", "ελένη", "山田たろう", "zoë_1.2-3+4"]
)
def test_it_allows_names_in_any_one_script(client, name, db):
    assert sign_up(client, username=name) == []
    assert User.objects.get().username == name


def test_it_stores_the_normalized_name(client, db):
    sign_up(client, username="\uff45\uff56\uff45")
    assert User.objects.get().username == "eve"


def test_the_database_refuses_names_that_differ_by_nothing_people_see(alice):
    with pytest.raises(IntegrityError):
        User.objects.create_user("\uff21lice")


def test_it_keeps_and_lists_the_names_of_before(alice):
    migration = import_module("bcms.migrations.0002_unique_user_names")
    with connection.schema_editor() as editor:
        migration.drop_index(apps, editor)
    User.objects.create_user("ALICE")
    User.objects.create_user("prof@uni.example")
    with connection.schema_editor() as editor:
        migration.create_index(apps, editor)
    listed = StringIO()
    call_command("check_user_names", stdout=listed)
    assert "ALICE: It differs from “alice” only by case, accents or separators" in listed.getvalue()
    assert "prof@uni.example: A user name cannot" in listed.getvalue()
    assert "2 of 3 user names" in listed.getvalue()
    with pytest.raises(IntegrityError):
        User.objects.create_user("prof@UNI.example")


def test_it_counts_the_address_of_a_new_administrator_as_confirmed(client, db, monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a-long-password")
    call_command("createsuperuser", "--noinput", "--username=root", "--email=Root@Example.org")
    assert client.get("/api/v1/teams/", headers=basic("root")).status_code == 200
    log_in(client, "root")
    assert find_logged_in_name(client) == "root"
    with pytest.raises(CommandError, match="cannot contain “@”"):
        call_command("createsuperuser", "--noinput", "--username=a@b.example", "--email=a@b.example")


def test_it_takes_no_address_from_somebody_else_for_a_new_administrator(alice, monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a-long-password")
    faults = StringIO()
    call_command("createsuperuser", "--noinput", "--username=root", "--email=alice@example.org", stderr=faults)
    assert "another account" in faults.getvalue()
    assert not EmailAddress.objects.get(user__username="root").verified
