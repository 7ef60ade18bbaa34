"""Announcements: who can publish them, who gets them by mail, and what readers see."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.template.loader import render_to_string
from django.utils import timezone
from lxml import etree

from evaluation import tasks
from evaluation.challenges.announcements import publishing
from evaluation.challenges.announcements.models import Announcement, AnnouncementAudience
from evaluation.challenges.announcements.publishing import (
    DAILY_ANNOUNCEMENTS,
    list_announcements_to_mail,
    publish_announcement,
    remove_announcement,
    write_mails_of_announcement,
)
from evaluation.challenges.followers.choices import MailChoice, store_mail_choice
from evaluation.challenges.models import Challenge, ChallengeState, Entrant
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.phases import lifecycle
from evaluation.challenges.repeated_texts import REPEATED_WITHIN
from evaluation.errors import ChallengeError
from servers.teams.models import Membership, Team

pytestmark = pytest.mark.django_db
PAGE = "/challenges/example/announcements/"
TEAMS = AnnouncementAudience.TEAMS


@pytest.fixture
def challenge(phase):
    return phase.challenge


def announce(challenge, olga, audience=AnnouncementAudience.FOLLOWERS, title="New dates", text="See **below**."):
    announcement = publish_announcement(challenge, olga, title=title, text=text, audience=audience)
    tasks.mail_announcements_unless_busy()
    return announcement


def make_member(make, name, team=None, role=Membership.Role.MANAGER):
    user = make(name, f"{name}@example.org", "a-long-password")
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    if team:
        Membership.objects.create(team=team, user=user, role=role)
    return user


def list_recipients(mailoutbox):
    return sorted(mail.to[0] for mail in mailoutbox)


def test_an_organizer_publishes_one_and_everybody_reads_it(organizer, client, challenge, mailoutbox):
    answer = organizer.post(f"{PAGE}new/", {"title": "New dates", "text": "See **below**.", "audience": "followers"})
    assert answer.status_code == 302
    client.logout()
    page = client.get(PAGE).content.decode()
    assert "<strong>below</strong>" in page
    assert "New dates" in client.get("/challenges/example/").content.decode()
    assert "mails are being sent" not in page
    assert "Remove" not in page


def test_nobody_else_publishes_one(client, challenge, alice):
    client.force_login(alice)
    assert client.post(f"{PAGE}new/", {"title": "Mine", "text": "x", "audience": "teams"}).status_code == 403
    assert not Announcement.objects.exists()


def test_a_draft_has_none(challenge, olga):
    Challenge.objects.update(state=ChallengeState.DRAFT)
    with pytest.raises(ChallengeError, match="List it first"):
        announce(challenge, olga)


def test_what_waits_is_not_mailed_once_its_challenge_is_a_draft_again(challenge, olga, carol, mailoutbox):
    store_mail_choice(challenge, carol, MailChoice(announcements=True, discussion=False))
    fields = {"title": "x", "text": "x", "audience": AnnouncementAudience.FOLLOWERS}
    publish_announcement(challenge, olga, **fields)
    read_before = list_announcements_to_mail().get()
    Challenge.objects.update(state=ChallengeState.DRAFT)
    mailoutbox.clear()
    assert write_mails_of_announcement(read_before) == 0
    assert mailoutbox == []
    Challenge.objects.update(state=ChallengeState.LISTED)
    assert write_mails_of_announcement(read_before) == 1


def test_there_are_a_few_a_day(organizer, challenge, olga):
    for number in range(DAILY_ANNOUNCEMENTS):
        announce(challenge, olga, title=f"News {number}")
    answer = organizer.post(f"{PAGE}new/", {"title": "More", "text": "Keep me.", "audience": "teams"})
    assert answer.status_code == 422
    assert "within a day" in answer.content.decode()
    assert "Keep me." in answer.content.decode()


def test_managers_of_teams_in_the_challenge_get_it_once(
    challenge, phase, reader, olga, alice, mailoutbox, django_user_model
):
    make = django_user_model.objects.create_user
    enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    beta = Team.objects.create(name="Team Beta", slug="team-beta")
    make_member(make, "bob", beta)
    make_member(make, "mia", reader.team, Membership.Role.MEMBER)
    mailoutbox.clear()
    announcement = announce(challenge, olga)
    tasks.mail_announcements_unless_busy()
    assert list_recipients(mailoutbox) == ["alice@example.org"]
    announcement.refresh_from_db()
    assert announcement.mails == 1
    (mail,) = mailoutbox
    assert mail.subject == "[BCMS] Example challenge: New dates"
    assert "See **below**." in mail.body
    assert mail.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_the_audience_chooses_teams_by_how_far_they_are(
    challenge, phase, reader, olga, alice, mailoutbox, django_user_model
):
    make = django_user_model.objects.create_user
    enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    waiting, invited = (Team.objects.create(name=name, slug=name) for name in ("waiting", "invited"))
    make_member(make, "wim", waiting)
    make_member(make, "ina", invited)
    Entrant.objects.create(challenge=challenge, team=waiting)
    Entrant.objects.create(challenge=challenge, team=invited, approved="2026-11-01T00:00Z")
    announce(challenge, olga, AnnouncementAudience.UNAPPROVED)
    assert mailoutbox == [], "no team waits where no approval is needed"
    Challenge.objects.update(approve_teams=True)
    for audience, names in (
        (AnnouncementAudience.TEAMS, ["alice", "ina", "wim"]),
        (AnnouncementAudience.WITHOUT_RUN, ["ina", "wim"]),
        (AnnouncementAudience.WITH_RUN, ["alice"]),
        (AnnouncementAudience.UNAPPROVED, ["wim"]),
    ):
        mailoutbox.clear()
        announce(challenge, olga, audience, title="More dates")
        assert list_recipients(mailoutbox) == [f"{name}@example.org" for name in names], audience


@pytest.mark.parametrize(
    ("rules", "names"),
    [
        ({}, ["alice", "ina", "tom", "wim"]),
        ({"terms": "Be fair."}, ["alice", "tom"]),
        ({"approve_teams": True}, ["alice", "ina", "tom"]),
        ({"entrance": "invited"}, ["alice", "ina", "tom"]),
        ({"approve_teams": True, "terms": "Be fair, always."}, ["alice", "tom"]),
    ],
)
def test_teams_that_take_part_have_what_the_challenge_asks_for(
    challenge, phase, reader, olga, alice, mailoutbox, django_user_model, rules, names
):
    """wim asked, ina was invited, tom did all that is needed, alice has a run without having accepted any terms."""
    enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    entrants = {
        "wim": {},
        "ina": {"approved": "2026-11-01T00:00Z"},
        "tom": {"approved": "2026-11-01T00:00Z", "accepted": "2026-11-01T00:00Z", "accepted_terms": "Be fair."},
    }
    for name, fields in entrants.items():
        team = Team.objects.create(name=f"Team of {name}", slug=f"team-{name}")
        make_member(django_user_model.objects.create_user, name, team)
        Entrant.objects.create(challenge=challenge, team=team, **fields)
    Entrant.objects.update_or_create(challenge=challenge, team=reader.team, defaults={"approved": "2026-11-01T00:00Z"})
    Challenge.objects.update(**rules)
    mailoutbox.clear()
    announce(Challenge.objects.get(), olga, AnnouncementAudience.ENTERED)
    assert list_recipients(mailoutbox) == [f"{name}@example.org" for name in names]
    if rules.get("approve_teams"):
        Entrant.objects.filter(team=reader.team).update(approved=None)
        mailoutbox.clear()
        announce(Challenge.objects.get(), olga, AnnouncementAudience.ENTERED, title="More dates")
        assert list_recipients(mailoutbox) == [f"{name}@example.org" for name in names if name != "alice"]


def test_whoever_follows_gets_it_and_whoever_stopped_does_not(
    challenge, phase, reader, olga, alice, carol, mailoutbox, client
):
    enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    store_mail_choice(challenge, carol, MailChoice(announcements=True, discussion=False))
    mailoutbox.clear()
    announce(challenge, olga)
    assert list_recipients(mailoutbox) == ["alice@example.org", "carol@example.org"]
    link = re.search(r"http\S+/mail/challenges/\S+", mailoutbox[0].body)[0]
    path = link[link.index("/mail/") :]
    assert "Unsubscribe from Example challenge?" in client.get(path).content.decode()
    assert client.post(path).status_code == 200
    mailoutbox.clear()
    announce(challenge, olga, title="More dates")
    assert list_recipients(mailoutbox) == ["carol@example.org"]
    mailoutbox.clear()
    announce(challenge, olga, TEAMS)
    assert list_recipients(mailoutbox) == []


def test_a_wrong_link_changes_nothing(client, challenge):
    assert client.post("/mail/challenges/no-such-token/").status_code == 404


def test_an_account_that_is_deactivated_or_unconfirmed_gets_none(challenge, olga, carol, mailoutbox):
    store_mail_choice(challenge, carol, MailChoice(announcements=True, discussion=False))
    EmailAddress.objects.filter(user=carol).update(verified=False)
    mailoutbox.clear()
    assert announce(challenge, olga) and mailoutbox == []
    EmailAddress.objects.filter(user=carol).update(verified=True)
    carol.is_active = False
    carol.save()
    assert announce(challenge, olga, title="More dates") and mailoutbox == []


def test_its_feed_is_atom(client, challenge, olga):
    announcement = announce(challenge, olga, text="Use <b>this</b>")
    answer = client.get(f"{PAGE}atom.xml")
    assert answer["Content-Type"].startswith("application/atom+xml")
    (entry,) = etree.fromstring(answer.content).findall("{*}entry")
    assert entry.findtext("{*}title") == "New dates"
    assert entry.find("{*}link").get("href").endswith(f"{PAGE}#announcement-{announcement.pk}")
    assert "&lt;b&gt;" in entry.findtext("{*}summary")
    assert etree.fromstring(answer.content).findtext("{*}author/{*}name") == "Organizers of Example challenge"


def test_its_feed_is_kept_for_visitors_only(client, organizer, challenge):
    assert "private" in organizer.get(f"{PAGE}atom.xml")["Cache-Control"]
    client.logout()
    assert client.get(f"{PAGE}atom.xml")["Cache-Control"] == "max-age=300"


def test_the_feed_of_a_draft_is_not_found(client, challenge):
    Challenge.objects.update(state=ChallengeState.DRAFT)
    assert client.get(f"{PAGE}atom.xml").status_code == 404
    assert client.get(PAGE).status_code == 404


def test_an_organizer_removes_one_after_a_question(organizer, challenge, olga):
    announcement = announce(challenge, olga)
    address = f"{PAGE}{announcement.pk}/remove/"
    assert "Remove this announcement?" in organizer.post(address).content.decode()
    assert organizer.post(address, {"asked": "1", "confirm": "on"}).status_code == 302
    assert not Announcement.objects.exists()


def test_the_page_takes_as_many_queries_whatever_it_shows(client, challenge, olga, django_assert_num_queries):
    announce(challenge, olga)
    with django_assert_num_queries(3):
        client.get(PAGE)
    for number in range(5):
        announce(challenge, olga, title=f"News {number}")
    with django_assert_num_queries(3):
        client.get(PAGE)


def test_programs_list_and_publish(client, challenge, olga, alice):
    client.force_login(alice)
    sent = {"title": "By a program", "text": "*x*"}
    address = "/api/v1/challenges/example/announcements/"
    assert client.post(address, sent).status_code == 403
    client.force_login(olga)
    answer = client.post(address, sent)
    assert answer.status_code == 201, answer.content
    client.logout()
    (listed,) = client.get(address).json()["results"]
    assert (listed["title"], listed["text"]) == ("By a program", "*x*")
    assert "author" not in listed


def test_characters_that_xml_forbids_do_not_break_the_feed(client, challenge, olga):
    Challenge.objects.update(name="Ex\x0bample")
    announce(challenge, olga, title="New\x0c dates\uffff", text="See\x1b below\ufffe.")
    answer = client.get(f"{PAGE}atom.xml")
    assert answer.status_code == 200
    assert "New\ufffd dates\ufffd" in "".join(etree.fromstring(answer.content).itertext())


def test_removed_announcements_count_among_those_of_a_day(challenge, olga):
    for number in range(DAILY_ANNOUNCEMENTS):
        remove_announcement(announce(challenge, olga, title=f"News {number}"))
    with pytest.raises(ChallengeError, match="within a day"):
        announce(challenge, olga)


def test_one_that_is_sent_twice_is_published_once(client, challenge, olga):
    client.force_login(olga)
    address, sent = "/api/v1/challenges/example/announcements/", {"title": "New dates", "text": "x"}
    first, second = (client.post(address, sent) for _ in range(2))
    assert (first.status_code, first.json()) == (second.status_code, second.json())
    assert client.post(address, sent | {"audience": "teams"}).json()["id"] != first.json()["id"]
    Announcement.objects.update(at=timezone.now() - REPEATED_WITHIN)
    client.post(address, sent)
    assert Announcement.objects.count() == 3


def refuse_to_render_title(monkeypatch, refused):
    def render(template, context):
        if context["announcement"].title == refused:
            raise ValueError(refused)
        return render_to_string(template, context)

    monkeypatch.setattr(publishing, "render_to_string", render)


def test_one_that_cannot_be_mailed_stops_no_other(challenge, olga, carol, mailoutbox, phase, monkeypatch):
    refuse_to_render_title(monkeypatch, "Not now")
    store_mail_choice(challenge, carol, MailChoice(announcements=True, discussion=True))
    mailoutbox.clear()
    fields = {"text": "x", "audience": AnnouncementAudience.FOLLOWERS}
    publish_announcement(challenge, olga, title="Not now", **fields)
    publish_announcement(challenge, olga, title="New dates", **fields)
    lifecycle.freeze_phase_and_hold_queues(phase, olga, "x")
    assert tasks.mail_announcements_unless_busy() == "2 mails"
    assert [mail.subject[:35] for mail in mailoutbox] == [
        "[BCMS] Example challenge: New dates",
        "[BCMS] Example challenge: training ",
    ]
    assert list_announcements_to_mail().get().title == "Not now"
    monkeypatch.undo()
    assert tasks.mail_announcements_unless_busy() == "1 mails"
