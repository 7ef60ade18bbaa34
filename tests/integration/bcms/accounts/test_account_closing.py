"""People close their account: what they did stays, who they are does not."""

from time import time

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from annotations.curation.session import get_or_create_curator
from annotations.results.models import Producer
from bcms.accounts.closing import close_account
from bcms.accounts.curator_profile import store_profile_if_valid
from bcms.accounts.models import ApiToken
from bcms.mail.models import Mail
from evaluation.labelling import curators
from servers.audit.models import AuditAction, AuditEvent
from servers.audit.trail import record_audit_event
from servers.inbox.entries import notify_accounts
from servers.inbox.models import InboxEntry
from servers.teams.models import Invitation, Membership, Team
from tests.integration.bcms.accounts.test_accounts import SECRET, find_logged_in_name, log_in, read_page_source
from tests.integration.project_cast import make_project

pytestmark = pytest.mark.django_db

PAGE = "/account/close/"


def enter(client, user):
    """Log in and enter the password once more."""
    client.force_login(user)
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": time(), "reauthenticated": True}]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()
    return client


def close(client, name):
    return client.post(PAGE, {"username": name}, follow=True)


def test_it_deletes_all_about_the_person_and_keeps_what_they_did(client, carol, team, challenge):
    Membership.objects.create(team=team, user=carol)
    labelling = curators.begin_labelling_claiming_blind_corpus(
        challenge, challenge.phases.get().corpus, order="given", again_every=0
    )
    labeller = curators.add_and_mail_or_readmit_curator(labelling, carol)
    get_or_create_curator(carol.pk, "carol")
    ApiToken.objects.create(user=carol, name="t", digest="0" * 64, scopes=[])
    notify_accounts([carol.pk], "A run is scored.", "/runs/1/")
    Invitation.objects.create(team=team, email="carol@example.org")
    Invitation.objects.create(team=team, email="carol@example.org", accepted=timezone.now())
    Mail.objects.create(recipient="carol@example.org", subject="carol", failed=timezone.now())
    assert store_profile_if_valid(carol.pk, {"orcid": "0000-0002-1825-0097", "shows_orcid": "on"}).is_valid()
    record_audit_event(AuditAction.CURATION_HANDED_OVER, before={"curator": carol}, after={"curators": [carol]})
    TOTP.activate(carol, SECRET)
    other = Client()
    other.force_login(carol)
    enter(client, carol)
    assert "cannot be undone" in read_page_source(client.get(PAGE))
    assert "is not the user name" in read_page_source(close(client, "Carol"))
    assert "Your account is closed" in read_page_source(close(client, "carol"))
    assert find_logged_in_name(client) == find_logged_in_name(other) == ""
    for model in (ApiToken, Authenticator, EmailAddress, InboxEntry, Membership):
        assert not model.objects.filter(user=carol).exists()
    assert not Invitation.objects.exists()
    left = User.objects.get(pk=carol.pk)
    assert (left.username, left.email, left.is_active) == (f"former member {carol.pk}", "", False)
    labeller.refresh_from_db()
    assert labeller.user == left
    assert labeller.released
    assert Producer.objects.get(labeller=labeller).name.startswith(f"former member {carol.pk}, ")
    assert Producer.objects.get(curator__user=carol).name == f"former member {carol.pk} (curator)"
    failed = Mail.objects.filter(failed__isnull=False)
    everything = [*AuditEvent.objects.values(), *Producer.objects.values(), *Session.objects.values(), *failed.values()]
    assert "carol" not in str(everything)
    log_in(client, "carol")
    assert find_logged_in_name(client) == ""
    # The name and the address are free again.
    sent = {"username": "carol", "email": "carol@example.org", "password1": "correct horse battery"}
    assert Client().post("/signup/", sent).status_code == 302
    assert User.objects.filter(username="carol").exists()


def test_it_says_what_to_do_first(client, alice, olga, team, challenge):
    enter(client, alice)
    page = read_page_source(client.get(PAGE))
    assert "You are the only manager of Team Alpha. Make another member a manager" in page
    assert "Close account" not in page
    assert close(client, "alice").status_code == 422
    enter(client, olga)
    assert "You are the only organizer of" in read_page_source(close(client, "olga"))
    assert User.objects.filter(username__in=("alice", "olga"), is_active=True).count() == 2


def test_it_leaves_a_team_that_has_another_manager(client, alice, carol, team):
    Membership.objects.create(team=team, user=carol, role="manager")
    enter(client, alice)
    close(client, "alice")
    assert list(Team.objects.get().members.all()) == [carol]


def test_the_last_administrator_stays(client, carol):
    User.objects.filter(pk=carol.pk).update(is_superuser=True, is_staff=True)
    enter(client, carol)
    assert "You are the only administrator" in read_page_source(client.get(PAGE))


def test_it_asks_for_the_password_first(client, carol):
    assert client.get(PAGE).url.startswith("/login/")
    client.force_login(carol)
    assert client.get(PAGE).url.startswith("/account/again/")


def test_it_takes_the_name_from_curators_and_ends_their_part_in_projects(carol, olga):
    project = make_project(olga, carol)
    project.adjudicators.add(carol)
    get_or_create_curator(carol.pk, "carol")
    close_account(carol)
    names = Producer.objects.filter(curator__user=carol).values_list("name", flat=True)
    assert sorted(names) == [f"former member {carol.pk} (curator)", f"former member {carol.pk}, Cadherins"]
    assert not project.curators.filter(released__isnull=True).exists()
    assert not project.adjudicators.exists()
