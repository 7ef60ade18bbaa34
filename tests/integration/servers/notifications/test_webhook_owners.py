"""Webhooks of teams and challenges: who sees and changes them, and what switches them off."""

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from bcms.accounts.closing import close_account
from bcms.administration.account_rights import block_account
from evaluation.challenges.organizers.appointment import remove_organizer_unless_last
from servers.audit.models import AuditAction, AuditEvent
from servers.inbox.models import InboxEntry
from servers.notifications.models import Delivery, Webhook
from servers.notifications.webhooks import webhook_delivery
from servers.teams.membership import (
    change_role_unless_last_manager,
    delete_team_without_servers_or_runs,
    remove_member_and_invitations_unless_last_manager,
)
from servers.teams.models import Membership
from tests.receiver import Receiver

pytestmark = pytest.mark.django_db
SECRET_URL = "http://127.0.0.1:9/s3cretS3cretS3cret"
OWNERS = [("team", "team-alpha", "alice"), ("challenge", "example", "olga")]
BUTTONS = ("add", "change", "switch", "secret", "remove", "test", "replay")


@pytest.fixture
def dan(team, django_user_model):
    """A second manager of the team."""
    dan = django_user_model.objects.create_user("dan", "dan@example.org")
    Membership.objects.create(team=team, user=dan, role="manager")
    return dan


@pytest.fixture
def people(team, challenge, alice, carol, olga, django_user_model):
    mia = django_user_model.objects.create_user("mia", "mia@example.org")
    Membership.objects.create(team=team, user=mia)
    return {user.username: user for user in (alice, carol, olga, mia)}


def add(kind, slug, user, **fields):
    client = Client()
    client.force_login(user)
    sent = {"url": SECRET_URL, "topics": ["entry", "phase"], "format": "events"} | fields
    return client.post(reverse(f"{kind}-webhook-add", args=[slug]), sent, follow=True)


def build_address(kind, slug, webhook, button=""):
    if button == "add":
        return reverse(f"{kind}-webhook-add", args=[slug])
    delivery = [Delivery.objects.create(webhook=webhook, happening="test", body="{}").pk] if button == "replay" else []
    name = f"{kind}-webhook-{button}" if button else f"{kind}-webhook"
    return reverse(name, args=[slug, webhook.pk, *delivery])


def read(response):
    return " ".join(response.content.decode().split())


@pytest.mark.parametrize(("kind", "slug", "owner"), OWNERS)
def test_who_manages_the_owner_adds_tests_changes_and_removes_a_webhook(people, kind, slug, owner):
    page = add(kind, slug, people[owner])
    webhook = Webhook.objects.get()
    assert "The webhook was added." in read(page) and SECRET_URL in read(page)
    assert (webhook.set_by, webhook.topics) == (people[owner], ["entry", "phase"])
    client = Client()
    client.force_login(people[owner])
    with Receiver() as receiver:
        changed = {"url": receiver.url, "topics": ["run"], "format": "chat"}
        client.post(build_address(kind, slug, webhook, "change"), changed)
        assert "A test message is being sent." in read(
            client.post(build_address(kind, slug, webhook, "test"), follow=True)
        )
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    name = {"team": "Team Alpha", "challenge": "Example challenge"}[kind]
    expected = f'{{"text": "{name}: A test message. http://127.0.0.1:8000/{kind}s/{slug}/"}}'
    assert [message.body.decode() for message in receiver.came] == [expected]
    assert "delivered" in read(client.get(build_address(kind, slug, webhook)))
    assert 'class="chip good">on<' in read(client.get(reverse(f"{kind}-webhooks", args=[slug])))
    client.post(build_address(kind, slug, webhook, "remove"))
    assert not Webhook.objects.exists()
    events = AuditEvent.objects.filter(action=AuditAction.WEBHOOK_CHANGED).order_by("pk")
    assert [event.after["change"] for event in events] == ["added", "changed", "removed"]
    assert not AuditEvent.objects.filter(after__icontains="s3cret").exists()


@pytest.mark.parametrize(("kind", "slug", "owner"), OWNERS)
def test_nobody_else_sees_or_changes_it(people, kind, slug, owner):
    add(kind, slug, people[owner])
    webhook = Webhook.objects.get()
    for name, user in people.items():
        if name != owner:
            client = Client()
            client.force_login(user)
            pages = [reverse(f"{kind}-webhooks", args=[slug]), build_address(kind, slug, webhook)]
            pages.append(build_address(kind, slug, webhook, "live"))
            replies = [client.get(page) for page in pages]
            replies += [client.post(build_address(kind, slug, webhook, button)) for button in BUTTONS]
            assert {reply.status_code for reply in replies} == {403}
            assert not any("s3cret" in read(reply) for reply in replies)
    webhook.refresh_from_db()
    assert (webhook.active, webhook.url, webhook.old_secret) == (True, SECRET_URL, "")


@pytest.mark.parametrize(("kind", "slug", "owner"), OWNERS)
def test_no_page_of_an_owner_has_a_webhook_of_another(people, server, kind, slug, owner):
    foreign = Webhook.objects.create(server=server, url=SECRET_URL, topics=["fail"])
    client = Client()
    client.force_login(people[owner])
    assert client.get(build_address(kind, slug, foreign)).status_code == 404
    for button in BUTTONS[1:]:
        assert client.post(build_address(kind, slug, foreign, button)).status_code == 404
    assert "s3cret" not in read(client.get(reverse(f"{kind}-webhooks", args=[slug])))


@pytest.mark.parametrize(("kind", "slug", "owner"), OWNERS)
@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"url": "http://10.0.0.1/"}, "The address 10.0.0.1 is not on the public internet."),
        ({"topics": ["fail"]}, "Select a valid choice. fail is not one of the available choices."),
        ({"topics": []}, "Select at least one topic."),
    ],
)
def test_it_says_what_is_wrong(people, kind, slug, owner, fields, sentence):
    page = add(kind, slug, people[owner], **fields)
    assert page.status_code == 422
    assert sentence in read(page)
    assert not Webhook.objects.exists()


def test_it_has_a_limit(people, team):
    for _ in range(10):
        Webhook.objects.create(team=team, url=SECRET_URL, topics=["run"])
    assert "Team Alpha already has 10 webhooks, the maximum." in read(add("team", "team-alpha", people["alice"]))


def test_the_pages_cost_the_same_queries_however_many_webhooks(people, team, django_assert_max_num_queries):
    client = Client()
    client.force_login(people["alice"])
    address = reverse("team-webhooks", args=["team-alpha"])
    client.get(address)
    for _ in range(3):
        Webhook.objects.create(team=team, url=SECRET_URL, topics=["run"])
    with django_assert_max_num_queries(6):
        client.get(address)


def make_webhooks_of(user, team, server, challenge):
    fields = {"url": SECRET_URL, "set_by": user}
    return [
        Webhook.objects.create(team=team, topics=["run"], **fields),
        Webhook.objects.create(server=server, topics=["fail"], **fields),
        Webhook.objects.create(challenge_id=challenge.pk, topics=["run"], **fields),
    ]


def list_switched_off():
    return list(Webhook.objects.filter(active=False).order_by("pk"))


@pytest.mark.parametrize("end", ["demoted", "removed"])
def test_webhooks_of_somebody_who_manages_the_team_no_more_are_switched_off(server, team, challenge, alice, dan, end):
    """They may lead to a machine of that person, and get what the team alone may know."""
    of_team, of_server, _ = make_webhooks_of(dan, team, server, challenge)
    make_webhooks_of(alice, team, server, challenge)
    if end == "demoted":
        change_role_unless_last_manager(team, dan.pk, "member")
    else:
        remove_member_and_invitations_unless_last_manager(team, dan.pk)
    assert list_switched_off() == [of_team, of_server]
    assert list_switched_off()[0].reason.startswith("Switched off because the person who entered its URL or switched")
    changes = AuditEvent.objects.filter(after__contains={"change": "switched off"})
    assert [change.team_id for change in changes] == [team.pk, team.pk]
    entries = InboxEntry.objects.filter(text__contains="switched off")
    assert {entry.user_id for entry in entries} == {alice.pk}
    assert [entry.path for entry in entries.order_by("pk")] == [
        f"/teams/{team.slug}/webhooks/{of_team.pk}/",
        f"/servers/{server.slug}/webhooks/{of_server.pk}/",
    ]


def test_another_manager_switches_it_on_again(server, team, challenge, alice, dan):
    of_team = make_webhooks_of(dan, team, server, challenge)[0]
    remove_member_and_invitations_unless_last_manager(team, dan.pk)
    client = Client()
    client.force_login(alice)
    assert "can no longer manage Team Alpha" in read(client.get(build_address("team", "team-alpha", of_team)))
    client.post(build_address("team", "team-alpha", of_team, "switch"), {"on": "yes"})
    of_team.refresh_from_db()
    assert (of_team.active, of_team.reason, of_team.set_by) == (True, "", alice)


def make_older_webhooks(team, server):
    """Of before anybody recorded who entered the URL."""
    return [
        Webhook.objects.create(team=team, url=SECRET_URL, topics=["run"]),
        Webhook.objects.create(server=server, url=SECRET_URL, topics=["fail"]),
    ]


@pytest.mark.parametrize("end", ["demoted", "removed", "closed", "blocked"])
def test_webhooks_of_nobody_are_switched_off_with_any_manager(server, team, alice, carol, dan, end):
    webhooks = make_older_webhooks(team, server)
    match end:
        case "demoted":
            change_role_unless_last_manager(team, dan.pk, "member")
        case "removed":
            remove_member_and_invitations_unless_last_manager(team, dan.pk)
        case "closed":
            close_account(dan)
        case "blocked":
            block_account(dan, carol)
    assert list_switched_off() == webhooks
    assert list_switched_off()[0].reason.startswith("Switched off because a person who may have entered its URL can no")


def test_webhooks_of_nobody_stay_when_a_member_leaves(server, team, dan):
    make_older_webhooks(team, server)
    change_role_unless_last_manager(team, dan.pk, "member")
    Webhook.objects.update(active=True)
    remove_member_and_invitations_unless_last_manager(team, dan.pk)
    assert list_switched_off() == []


def test_who_changes_the_topics_alone_does_not_answer_for_the_url(server, team, challenge, alice, dan):
    of_team = make_webhooks_of(dan, team, server, challenge)[0]
    client = Client()
    client.force_login(alice)
    sent = {"url": SECRET_URL, "topics": ["entry"], "format": "events"}
    client.post(build_address("team", "team-alpha", of_team, "change"), sent)
    remove_member_and_invitations_unless_last_manager(team, dan.pk)
    of_team.refresh_from_db()
    assert (of_team.topics, of_team.set_by, of_team.active) == (["entry"], dan, False)
    client.post(build_address("team", "team-alpha", of_team, "change"), sent | {"url": "http://127.0.0.1:9/mine"})
    of_team.refresh_from_db()
    assert (of_team.set_by, of_team.active) == (alice, False)


def test_webhooks_of_somebody_who_organizes_no_more_are_switched_off(server, team, challenge, olga, dan):
    challenge.organizers.add(dan)
    *_, of_challenge = make_webhooks_of(dan, team, server, challenge)
    make_webhooks_of(olga, team, server, challenge)
    remove_organizer_unless_last(challenge, "dan", olga)
    assert list_switched_off() == [of_challenge]
    entry = InboxEntry.objects.get(text="A webhook of Example challenge was switched off. Check its URL.")
    assert (entry.user, entry.path) == (olga, f"/challenges/example/webhooks/{of_challenge.pk}/")


@pytest.mark.parametrize("end", ["closed", "blocked"])
@pytest.mark.parametrize("role", ["manager and organizer", "administrator"])
def test_webhooks_of_an_account_that_ends_are_switched_off(server, team, challenge, alice, carol, dan, end, role):
    if role == "administrator":
        Membership.objects.filter(user=dan).delete()
    else:
        challenge.organizers.add(dan)
    webhooks = make_webhooks_of(dan, team, server, challenge)
    make_webhooks_of(alice, team, server, challenge)
    if end == "closed":
        close_account(dan)
    else:
        block_account(dan, carol)
    assert list_switched_off() == webhooks


def test_a_deleted_team_takes_its_webhooks_along(team):
    Webhook.objects.create(team=team, url=SECRET_URL, topics=["run"])
    delete_team_without_servers_or_runs(team)
    assert not Webhook.objects.exists()


@pytest.mark.parametrize("owners", [(), ("team", "server"), ("team", "challenge")])
def test_a_webhook_has_one_owner(team, server, challenge, owners):
    fields = {"team": {"team": team}, "server": {"server": server}, "challenge": {"challenge_id": challenge.pk}}
    chosen = {name: value for owner in owners for name, value in fields[owner].items()}
    with pytest.raises(IntegrityError, match="webhook_has_one_owner"), transaction.atomic():
        Webhook.objects.create(url=SECRET_URL, topics=["run"], **chosen)


def test_nothing_that_waits_is_sent_after_a_webhook_was_switched_off(team):
    """Also by a worker that is sending to it just now."""
    with Receiver() as receiver:
        webhook = Webhook.objects.create(team=team, url=receiver.url, topics=["run"])
        Delivery.objects.create(webhook=webhook, happening="run-scored", body="{}")
        Webhook.objects.update(active=False)
        assert not webhook_delivery.list_ready_webhooks_with_due_messages().exists()
        assert webhook_delivery._deliver_next_message(webhook.pk) == "idle"
    assert receiver.came == []
