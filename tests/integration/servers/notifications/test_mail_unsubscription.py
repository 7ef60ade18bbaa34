"""How a reader ends mail about servers: by the link in it, or by what the mail program makes of its headers."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils.text import slugify

from servers.notifications.events import EventType
from servers.notifications.mail import mails
from servers.notifications.models import MailPreference, Notice
from servers.notifications.notices import store_wanted_notice_and_deliveries_of_event
from servers.registry.models import Server

pytestmark = pytest.mark.django_db


def make_named_server(team, name):
    return Server.objects.create(review="accepted", team=team, name=name, slug=slugify(name), kinds=["mention"])


def write_failure_mail(*servers):
    """What the worker writes when each of them was taken off: the number of mails."""
    for server in servers:
        store_wanted_notice_and_deliveries_of_event(
            server.pk, EventType.SERVER_FAILED, reason="20 articles in a row failed."
        )
    Notice.objects.filter(told__isnull=True).update(due=F("due") - timedelta(hours=2))
    return sum(
        mails.mail_unsent_notices_if_any_due(team_id, rhythm)
        for team_id, rhythm in mails.list_teams_and_rhythms_with_due_mail()
    )


def find_stop_link(mail):
    [link] = [word for word in mail.get_content().split() if "/mail/stop/" in word]
    return link


def extract_stop_path(link):
    return "/mail/stop/" + link.partition("/mail/stop/")[2]


def test_it_ends_by_the_link_but_not_by_a_mere_visit(server, client, postbox):
    write_failure_mail(server)
    place = extract_stop_path(find_stop_link(postbox.one()))
    assert "alice gets emails about events of GeneDict" in client.get(place).content.decode()
    assert not MailPreference.objects.exists()
    assert "no longer gets emails about GeneDict" in client.post(place).content.decode()
    assert not MailPreference.objects.get().wanted
    assert write_failure_mail(server) == 0


def test_it_is_named_to_mail_programs(server, postbox):
    write_failure_mail(server)
    mail = postbox.one()
    assert mail["List-Unsubscribe"].strip() == f"<{find_stop_link(mail)}>"
    # The tests' address is no https, and a link that others can read is not for one click.
    assert "List-Unsubscribe-Post" not in mail


def test_it_ends_all_of_a_mail_with_one_click_from_outside(server, team, postbox, settings):
    settings.SITE_URL = "https://bcms.example.org"
    others = [make_named_server(team, f"Server {number}") for number in range(20)]
    quiet = make_named_server(team, "Quiet")
    write_failure_mail(server, *others)
    mail = postbox.one()
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = mail["List-Unsubscribe"].strip().strip("<>")
    assert link.startswith("https://bcms.example.org/mail/stop/")
    outside, place = Client(enforce_csrf_checks=True), extract_stop_path(link)
    assert "GeneDict, Server 0, Server 1" in outside.get(place).content.decode()
    assert not MailPreference.objects.exists()
    assert outside.post(place, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert set(MailPreference.objects.values_list("server", "wanted")) == {
        (each.pk, False) for each in (server, *others)
    }
    assert (write_failure_mail(server), write_failure_mail(quiet)) == (0, 1)


@pytest.mark.parametrize("token", ["x", "WzEsMV0:1abcde:forged"])
def test_it_takes_no_forged_link(client, server, token):
    answer = client.post(reverse("mail-unsubscribe", args=[token]))
    assert answer.status_code == 404
    assert "This link is not valid" in answer.content.decode()
    assert not MailPreference.objects.exists()


def test_it_tells_who_is_not_on_the_team_any_more(client, server, postbox):
    write_failure_mail(server)
    place = extract_stop_path(find_stop_link(postbox.one()))
    server.team.membership_set.all().delete()
    assert client.post(place).status_code == 404
