"""The audit trail: operations write to it, nobody changes it, no secret is in it, and the right people read it."""

import json
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from bcms.accounts import tokens
from bcms.accounts.models import ApiToken
from evaluation.challenges.organizers import appointment
from evaluation.challenges.phases import lifecycle
from evaluation.gold.storage import store_gold_sealed_or_open
from servers.audit.models import AuditAction, AuditEvent
from servers.audit.trail import record_audit_event
from servers.registry import lifecycle as server_lifecycle
from servers.registry.models import Server
from servers.teams import membership
from servers.teams.models import Membership
from tests.integration.bcms.accounts.test_accounts import basic, log_in, make_token

pytestmark = pytest.mark.django_db


def list_events(**conditions):
    """(action, actor, person) of the events, oldest first."""
    events = AuditEvent.objects.filter(**conditions).order_by("pk")
    return list(events.values_list("action", "actor__username", "person__username"))


@pytest.mark.parametrize("statement", ["UPDATE servers_auditevent SET reason = 'x'", "DELETE FROM servers_auditevent"])
def test_the_database_keeps_it_as_it_is(db, statement):
    record_audit_event(AuditAction.TEAM_CREATED, "x")
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert AuditEvent.objects.count() == 1


def test_it_keeps_mappings_and_lists_as_they_are_but_for_secrets(db):
    settings = {"types": ["Gene"], "exact": True, "limits": {"seconds": 2.5}, "url": "https://me:pw@example.org/"}
    record_audit_event(AuditAction.PHASE_CHANGED, "x", after={"settings": settings})
    kept = AuditEvent.objects.get().after["settings"]
    assert "pw@" not in kept.pop("url")
    assert kept == {"types": ["Gene"], "exact": True, "limits": {"seconds": 2.5}}


def test_it_has_log_ins(client, alice):
    log_in(client, password="wrong")
    log_in(client, "nobody", "a password typed as a name")
    log_in(client, "alice@example.org")
    new = {"oldpassword": "a-long-password", "password1": "another long one", "password2": "another long one"}
    client.post("/account/password/", new)
    client.post("/logout/")
    Client().get("/api/v1/teams/", headers=basic(password="guess"))
    assert list_events() == [
        ("account.login_failed", None, "alice"),
        ("account.login_failed", None, None),
        ("account.logged_in", "alice", "alice"),
        ("account.password_changed", "alice", "alice"),
        ("account.security_changed", "alice", "alice"),
        ("account.logged_out", "alice", "alice"),
        ("account.login_failed", None, "alice"),
    ]


def test_it_has_the_first_use_of_a_token_in_a_day(client, alice):
    sent = {"Authorization": f"Bearer {make_token(client)}"}
    used = {"action": "account.token_used"}
    for _ in range(2):
        assert Client().get("/api/v1/teams/", headers=sent).status_code == 200
    assert list_events(**used) == [("account.token_used", "alice", "alice")]
    assert AuditEvent.objects.get(**used).subject == "nightly run"
    ApiToken.objects.update(used=timezone.now() - timedelta(days=1))
    for _ in range(2):
        Client().get("/api/v1/teams/", headers=sent)
    assert len(list_events(**used)) == 2


def test_it_has_the_use_of_a_token_a_minute_after_midnight(client, alice, monkeypatch):
    token = make_token(client)
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    ApiToken.objects.update(used=midnight - timedelta(minutes=1))
    monkeypatch.setattr(tokens.timezone, "now", lambda: midnight + timedelta(minutes=1))
    tokens.find_token_even_expired_recording_valid_use(token)
    assert len(list_events(action="account.token_used")) == 1


def test_it_has_no_use_of_an_expired_token(client, alice):
    sent = {"Authorization": f"Bearer {make_token(client)}"}
    ApiToken.objects.update(expires=timezone.now() - timedelta(days=1))
    assert Client().get("/api/v1/teams/", headers=sent).status_code == 401
    assert list_events(action="account.token_used") == []


def test_it_has_the_first_log_in_by_name_and_password_in_a_day(alice):
    cache.clear()
    for _ in range(2):
        assert Client().get("/api/v1/teams/", headers=basic()).status_code == 200
    event = AuditEvent.objects.get()
    assert (event.action, event.actor, event.person) == ("account.logged_in", alice, alice)
    assert event.subject == "API, by name and password"
    cache.clear()
    Client().get("/api/v1/teams/", headers=basic())
    assert AuditEvent.objects.count() == 2


def test_it_has_who_changed_what_by_page_and_by_token(client, alice, carol, team):
    Membership.objects.create(team=team, user=carol)
    token = make_token(client)
    client.post(f"/teams/team-alpha/role/{carol.pk}/", {"role": "manager"})
    event = AuditEvent.objects.latest("pk")
    assert (event.action, event.before, event.after) == ("team.role_changed", {"role": "member"}, {"role": "manager"})
    assert (event.actor, event.person, event.team_id, event.subject) == (alice, carol, team.pk, "Team Alpha")
    ApiToken.objects.update(scopes=["read", "servers"])
    fields = {"team": "team-alpha", "name": "New", "url": "http://127.0.0.1:9/?api_key=hush-hush", "kinds": ["taxon"]}
    reply = Client().post(
        "/api/v1/servers/", fields, content_type="application/json", headers={"Authorization": f"Bearer {token}"}
    )
    assert reply.status_code == 201, reply.content
    assert list_events(action="server.registered") == [("server.registered", "alice", None)]


def test_it_has_states_settings_and_keys_of_servers(as_alice, server):
    as_alice.post("/servers/genedict/new-keys/")
    server_lifecycle.replace_server_keys(server)
    server_lifecycle.bring_server_online_and_resume_resting_queues(server)
    event = AuditEvent.objects.get(action="server.state_changed")
    assert (event.before, event.after, event.actor) == ({"state": "offline"}, {"state": "online"}, None)
    page = as_alice.get("/servers/genedict/edit/").context["form"]
    data = {name: page[name].value() for name in page.fields if page[name].value() is not None}
    data |= {
        "name": "GeneDict 2",
        "url": "http://127.0.0.1:9/?token=hush-hush",
        "custom_parameters": '{"k": "hush-hush"}',
    }
    assert as_alice.post("/servers/genedict/edit/", data).status_code == 302
    changed = AuditEvent.objects.get(action="server.changed")
    assert (changed.before["name"], changed.after["name"]) == ("GeneDict", "GeneDict 2")
    assert "hush-hush" not in json.dumps([changed.before, changed.after])


def test_it_has_organizers_phases_and_gold(challenge, olga, carol):
    appointment.add_and_mail_organizer_refusing_competitors(challenge, carol, olga)
    phase = challenge.phases.get()
    lifecycle.freeze_phase_and_hold_queues(phase, olga, "a fault in the texts")
    store_gold_sealed_or_open(challenge.tasks.get(name="TX"), phase, b"101\t9606\n", "gold.tsv")
    actions = [action for action, _, _ in list_events(challenge_id=challenge.pk)]
    for action in ("challenge.created", "task.created", "phase.created", "challenge.organizer_added"):
        assert action in actions
    frozen = AuditEvent.objects.get(action="phase.changed", reason="a fault in the texts")
    assert (frozen.after, frozen.reason, frozen.actor) == ({"event": "Frozen"}, "a fault in the texts", olga)
    assert AuditEvent.objects.filter(action="gold.stored").latest("pk").after == {"sealed": False}


def test_it_has_no_secret(client, alice, server):
    token = make_token(client)
    log_in(client, password="wrong-hush-hush")
    client.post("/servers/genedict/new-keys/")
    client.post("/servers/genedict/webhooks/new/", {"url": "http://127.0.0.1:9/hush-hush", "topics": ["server"]})
    row = Server.objects.get()
    recorded = json.dumps(list(AuditEvent.objects.values()), default=str)
    for secret in (token, ApiToken.objects.get().digest, row.api_key, row.secret_key, "hush-hush", alice.password):
        assert secret not in recorded


def test_it_outlasts_people_and_teams(as_alice, alice, carol, team):
    team_id = team.pk
    membership.delete_team_without_servers_or_runs(team)
    record_audit_event(AuditAction.TEAM_CREATED, "x", actor=carol, person=carol)
    carol.delete()
    assert AuditEvent.objects.filter(team_id=team_id, action="team.deleted").exists()
    type(alice).objects.update(is_staff=True)
    page = as_alice.get("/audit/").content.decode()
    assert page.count("former member") == 2


@pytest.mark.parametrize("address", ["/audit/", "/api/v1/audit/"])
def test_administrators_read_it_in_few_queries(as_alice, alice, django_assert_max_num_queries, address):
    type(alice).objects.update(is_staff=True)
    for number in range(3):
        record_audit_event(AuditAction.TEAM_CREATED, f"team {number}", actor=alice)
    with django_assert_max_num_queries(6):
        assert "team 2" in as_alice.get(address).content.decode()


def test_it_is_filtered_and_paged(as_alice, alice, carol):
    type(alice).objects.update(is_staff=True)
    for number in range(120):
        record_audit_event(AuditAction.TEAM_CREATED, f"team {number}.", actor=carol)
    record_audit_event(AuditAction.SERVER_REMOVED, "the server", actor=alice)
    assert "the server" not in as_alice.get("/audit/?action=team").content.decode()
    assert "the server" in as_alice.get("/audit/?action=server.removed").content.decode()
    assert "the server" not in as_alice.get("/audit/?person=carol").content.decode()
    subjects, query = [], "action=team"
    while query:
        context = as_alice.get(f"/audit/?{query}").context
        subjects += [event.subject for event in context["events"]]
        query = context["older"]
    assert subjects == [f"team {number}." for number in reversed(range(120))]
    assert as_alice.get("/audit/?before=x").status_code == 422


def test_organizers_and_teams_read_their_own(client, challenge, olga, team, alice, carol):
    record_audit_event(AuditAction.PHASE_CHANGED, "of the challenge", challenge_id=challenge.pk)
    record_audit_event(AuditAction.TEAM_ROLE_CHANGED, "of the team", team=team)
    record_audit_event(AuditAction.ACCOUNT_LOGIN_FAILED, "of carol", person=carol)
    record_audit_event(AuditAction.ACCOUNT_LOGIN_FAILED, "of alice", person=alice)
    for user, address, seen in (
        (olga, "/challenges/example/audit/", {"of the challenge"}),
        (olga, "/api/v1/challenges/example/audit/", {"of the challenge"}),
        (alice, "/teams/team-alpha/audit/", {"of the team", "of alice"}),
        (alice, "/api/v1/teams/team-alpha/audit/", {"of the team", "of alice"}),
    ):
        client.force_login(user)
        text = client.get(address).content.decode()
        assert {each for each in ("of the challenge", "of the team", "of carol", "of alice") if each in text} == seen
    for user in (carol, alice):
        client.force_login(user)
        assert client.get("/challenges/example/audit/").status_code == 403
        assert client.get("/audit/").status_code == client.get("/api/v1/audit/").status_code == 403
    client.force_login(carol)
    assert client.get("/teams/team-alpha/audit/").status_code == 403
