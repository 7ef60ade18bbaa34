"""The administration: only for administrators with a second factor, without any secret, and every action recorded."""

from time import time

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.test import Client
from django.urls import reverse

from annotations.articles.models import Article, ArticleTakedown, Corpus
from bcms.accounts.models import ApiToken
from bcms.administration.site import site
from evaluation.challenges.permissions import can_create_challenge
from servers.audit.models import AuditEvent
from servers.notifications.models import Webhook
from servers.registry.models import Server
from tests.authenticator import compute_totp_code
from tests.integration.bcms.accounts.test_accounts import SECRET, find_logged_in_name, log_in, read_page_source
from tests.integration.evaluation_cast import hide_article

pytestmark = pytest.mark.django_db

ACCOUNTS = "/administration/auth/user/"
ARTICLES = "/administration/annotations/article/"


@pytest.fixture
def staff(olga):
    """olga is an administrator with a second factor."""
    type(olga).objects.filter(pk=olga.pk).update(is_staff=True)
    TOTP.activate(olga, SECRET)
    olga.refresh_from_db()
    return olga


def enter(client, user, seconds_ago=0, method="mfa"):
    """Log in with both factors, this long ago; method: what was entered last."""
    client.force_login(user)
    session = client.session
    session["account_authentication_methods"] = [
        {"method": method, "at": time() - seconds_ago, "reauthenticated": True}
    ]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()
    return client


@pytest.fixture
def as_staff(client, staff):
    return enter(client, staff)


def act(client, address, action, *rows, reason="they asked for it"):
    """The text of the page after an action on some rows; /?q= finds articles."""
    data = {"action": action, "_selected_action": [row.pk for row in rows], "reason": reason}
    return read_page_source(client.post(address, data, follow=True))


def list_addresses():
    """The addresses of the administration, with an object of each model that has one."""
    yield reverse("admin:index")
    yield reverse("admin:jsi18n")
    for model in site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{name}_changelist")
        for pk in model.objects.values_list("pk", flat=True):
            yield reverse(f"{name}_change", args=[pk])


def test_it_lets_in_administrators_with_a_second_factor_only(client, alice, olga, team):
    page = "/administration/"
    assert client.get(page).url == f"/login/?next={page}"
    assert enter(client, alice).get(page).status_code == 403
    type(olga).objects.filter(username="olga").update(is_staff=True)
    assert enter(client, olga).get(page).url == "/account/factor/"
    TOTP.activate(olga, SECRET)
    assert enter(client, olga, seconds_ago=3600).get(page).url.startswith("/account/")
    assert enter(client, olga).get(page).status_code == 200


def test_it_asks_for_the_second_factor_in_a_session_that_began_without(client, staff):
    asked = enter(client, staff, method="password").get("/administration/auth/user/")
    assert asked.url == "/account/factor/again/?next=/administration/auth/user/"
    entered = client.post(asked.url, {"code": compute_totp_code(SECRET)})
    assert entered.url == "/administration/auth/user/"
    assert client.get(entered.url).status_code == 200


def test_it_shows_no_secret(as_staff, alice, server, challenge, article):
    Server.objects.update(url="http://127.0.0.1:9/?api_key=hush-in-url", custom_parameters={"key": "hush-parameter"})
    Webhook.objects.create(server=server, url="http://127.0.0.1:9/hush-hook", topics=["server"])
    ApiToken.objects.create(user=alice, name="t", digest="hush-digest", scopes=[])
    blind = Article.objects.create(pmid=999, passages=[], text="", content_hash="", opaque="Bhush0opaque00000")
    hide_article(blind, Corpus.objects.create(slug="blind", name="blind", blind=True))
    row = Server.objects.get()
    secrets = ["hush", row.api_key, row.secret_key, SECRET, alice.password, article.opaque]
    secrets += [Webhook.objects.get().secret]
    for address in [*list_addresses(), f"{ARTICLES}?q=999", f"{ARTICLES}?q=10000001"]:
        reply = as_staff.get(address)
        blind_page = address == reverse("admin:annotations_article_change", args=[blind.pk])
        assert reply.status_code == (302 if blind_page else 200), address
        text = reply.content.decode()
        assert [secret for secret in secrets if secret in text] == [], address


def test_it_keeps_the_content_security_policy(as_staff, alice):
    for address in list_addresses():
        reply = as_staff.get(address)
        text = reply.content.decode()
        assert "script-src" not in reply["Content-Security-Policy"]
        assert "<style" not in text
        assert " style=" not in text
        assert text.count("<script") == text.count("<script src=") + text.count('<script id="django-admin')


def test_it_changes_nothing_but_by_actions(as_staff, alice, server):
    assert "Delete selected" not in as_staff.get(ACCOUNTS).content.decode()
    assert as_staff.get(f"{ACCOUNTS}add/").status_code in (302, 404)
    assert as_staff.post(f"{ACCOUNTS}{alice.pk}/", {"username": "x"}).status_code == 405
    assert as_staff.get(f"{ACCOUNTS}{alice.pk}/").content.decode().count("<input") <= 2


def test_it_blocks_an_account_at_once_and_for_good(as_staff, staff, alice):
    browser, token = Client(), "bcms_x"
    log_in(browser)
    ApiToken.objects.create(user=alice, name="t", digest="0" * 64, scopes=[])
    assert "Enter a reason" in act(as_staff, ACCOUNTS, "block", alice, reason=" ")
    assert "1 of 1 accounts were blocked" in act(as_staff, ACCOUNTS, "block", alice)
    assert find_logged_in_name(browser) == ""
    assert not ApiToken.objects.exists()
    log_in(browser)
    assert find_logged_in_name(browser) == ""
    assert "1 of 1 accounts were unblocked" in act(as_staff, ACCOUNTS, "unblock", alice)
    browser.get("/")
    assert find_logged_in_name(browser) == ""
    assert Client().get("/api/v1/teams/", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    log_in(browser)
    assert find_logged_in_name(browser) == "alice"
    events = AuditEvent.objects.filter(person=alice, action__contains="block").order_by("pk")
    assert [(event.action, event.actor, event.reason) for event in events] == [
        ("account.blocked", staff, "they asked for it"),
        ("account.unblocked", staff, "they asked for it"),
    ]


def test_administrators_do_not_lock_themselves_out(as_staff, staff):
    assert "You cannot block your own account" in act(as_staff, ACCOUNTS, "block", staff)
    staff.refresh_from_db()
    assert staff.is_active


def test_it_grants_rights_and_withdraws_them(as_staff, staff, alice, carol):
    assert "2 of 2 accounts were changed" in act(as_staff, ACCOUNTS, "grant_challenges", alice, carol)
    assert can_create_challenge(type(alice).objects.get(pk=alice.pk))
    assert "add challenges" in as_staff.get(ACCOUNTS).content.decode()
    assert "1 of 1 accounts were changed" in act(as_staff, ACCOUNTS, "withdraw_challenges", alice)
    assert not can_create_challenge(type(alice).objects.get(pk=alice.pk))
    actions = AuditEvent.objects.filter(person=alice).order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["account.right_granted", "account.right_withdrawn"]
    act(as_staff, ACCOUNTS, "grant_reviews", alice)
    assert type(alice).objects.get(pk=alice.pk).has_perm("servers.review_server")


def test_it_accepts_and_declines_servers(as_staff, staff, server):
    Server.objects.update(review="unreviewed")
    servers = "/administration/servers/server/"
    assert "1 of 1 servers were accepted" in act(as_staff, servers, "accept", server)
    assert Server.objects.get().review == "accepted"
    assert "Enter a reason" in act(as_staff, servers, "decline", server, reason="")
    assert "1 of 1 servers were declined" in act(as_staff, servers, "decline", server, reason="wrong species")
    event = AuditEvent.objects.filter(action="server.reviewed").latest("pk")
    assert (event.actor, event.reason, event.after) == (staff, "wrong species", {"review": "declined"})


def test_it_takes_an_article_down_and_shows_it_again(as_staff, staff, article, server, alice):
    pages = [f"{page}{article.pmid}/" for page in ("/articles/", "/api/v1/articles/", "/documents/pubmed/")]
    pages += [f"/articles/{article.opaque}/", f"/articles/{article.pmid}/export/tsv/"]
    assert [Client().get(page).status_code for page in pages[:2]] == [200, 200]
    before = {page: Client().get(page).status_code for page in pages}
    assert "Enter a reason" in act(as_staff, f"{ARTICLES}?q=10000001", "take_down", article, reason="")
    assert "1 of 1 articles were taken down" in act(as_staff, f"{ARTICLES}?q=10000001", "take_down", article)
    visitor, member = Client(), Client()
    member.force_login(alice)
    for client in (visitor, member):
        assert {client.get(page).status_code for page in pages} == {404}
        assert article.title not in client.get("/articles/?q=catenin").content.decode()
        assert article.title not in client.get("/").content.decode()
        assert "10000001" not in client.get("/api/v1/articles/").content.decode()
    assert as_staff.get(pages[0]).status_code == 200
    # The list shows it without a search.
    assert "they asked for it" in as_staff.get(ARTICLES).content.decode()
    assert ArticleTakedown.objects.get().by == staff
    assert "1 of 1 articles are shown again" in act(as_staff, ARTICLES, "show_again", article)
    assert {page: visitor.get(page).status_code for page in pages} == before
    assert set(AuditEvent.objects.values_list("action", flat=True)) >= {"article.hidden", "article.shown"}


def test_it_features_public_corpora(as_staff, db):
    corpora = "/administration/annotations/corpus/"
    public, blind = (Corpus.objects.create(slug=slug, name=slug, blind=slug == "blind") for slug in ("open", "blind"))
    assert "1 of 2 corpora are now featured" in act(as_staff, corpora, "feature", public, blind)
    assert list(Corpus.objects.filter(featured=True)) == [public]
    act(as_staff, corpora, "feature", public)
    act(as_staff, corpora, "stop_featuring", public)
    assert not Corpus.objects.filter(featured=True).exists()
    events = AuditEvent.objects.filter(action__startswith="corpus.").order_by("pk")
    assert list(events.values_list("action", "subject", "actor__username")) == [
        ("corpus.featured", "open", "olga"),
        ("corpus.not_featured", "open", "olga"),
    ]
