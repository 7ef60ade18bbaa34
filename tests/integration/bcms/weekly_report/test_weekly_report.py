"""A mail on Mondays about a team's servers, scores and phases, to the members who chose it."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotations.articles.models import Corpus
from bcms.tasks import mail_weekly_reports_unless_busy
from bcms.weekly_report import content, mailing
from bcms.weekly_report.mailing import compute_next_report_time, mail_due_reports
from evaluation.challenges.models import Challenge, Entrant, Phase
from evaluation.gold.models import GoldStandard
from servers.availability.models import Figures
from servers.calls.models import Call
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.teams.models import Membership
from tests.integration.score_cast import store_server_score

pytestmark = pytest.mark.django_db


@pytest.fixture
def member(client, alice, team):
    """Alice, who wants the report."""
    client.force_login(alice)
    client.post("/teams/team-alpha/weekly-report/", {"wanted": "yes"})
    return Membership.objects.get(team=team, user=alice)


def mail_now():
    """On the day on which the reports are due."""
    return mail_due_reports(Membership.objects.exclude(report_due=None).latest("report_due").report_due)


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ("2026-11-30 05:59", "2026-11-30 06:00"),
        ("2026-11-30 06:00", "2026-12-07 06:00"),
        ("2026-12-06 23:00", "2026-12-07 06:00"),
    ],
)
def test_it_comes_on_the_next_monday(now, due):
    assert compute_next_report_time(parse(now)) == parse(due)


def parse(text):
    return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)


def test_members_choose_it_for_themselves(client, alice, carol, team, mailoutbox):
    assert "Get the weekly report" not in Client().get("/teams/team-alpha/").content.decode()
    client.force_login(alice)
    assert "Get the weekly report" in client.get("/teams/team-alpha/").content.decode()
    client.post("/teams/team-alpha/weekly-report/", {"wanted": "yes"})
    assert "Stop the weekly report" in client.get("/teams/team-alpha/").content.decode()
    assert Membership.objects.get(team=team, user=alice).report_due > timezone.now()
    client.post("/teams/team-alpha/weekly-report/", {"wanted": "no"})
    assert Membership.objects.get(team=team, user=alice).report_due is None
    client.force_login(carol)
    assert client.post("/teams/team-alpha/weekly-report/", {"wanted": "yes"}).status_code == 403
    assert Client().post("/teams/team-alpha/weekly-report/", {"wanted": "yes"}).url.startswith("/login/")
    assert not Membership.objects.exclude(report_due=None).exists()


def test_it_says_how_the_servers_did(member, server, article, mailoutbox):
    until = timezone.now()
    week = Figures.objects.create(
        server=server, window="7d", until=until, observed=604800, down=60.48, down_or_paused=60.48
    )
    Figures.objects.filter(pk=week.pk).update(answered=1200, empty=34, connection=3, invalid=2, p50=0.8125)
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    Call.objects.create(queue=queue, server=server, article=article, priority=0)
    assert mail_now() == 1
    (mail,) = mailoutbox
    assert mail.subject == "[BCMS] Team Alpha: weekly report"
    assert mail.to == [member.user.email]
    assert "* GeneDict, offline" in mail.body
    assert "Available 99.99 % of the time." in mail.body
    assert "1,234 answers, 34 of them empty; half of them within 0.812 s." in mail.body
    assert "5 failed attempts: invalid answer 2, no connection 3." in mail.body
    assert "1 article waiting." in mail.body
    assert "/servers/genedict/" in mail.body
    assert "New scores" not in mail.body


def test_it_has_new_scores_and_coming_dates(member, server, challenge, mailoutbox):
    now = member.report_due
    training = challenge.phases.get(sort="training")
    Phase.objects.filter(pk=training.pk).update(closes=now + timedelta(days=3))
    corpus = Corpus.objects.create(name="More", slug="more")
    test = challenge.phases.create(sort="test", corpus=corpus, opens=now + timedelta(days=15))
    score = store_server_score(server, training, 0.25, [0.125, 0.5])
    hidden = store_server_score(server, test, 0.75)
    type(score).objects.update(computed=now - timedelta(days=6))
    mail_now()
    assert "GeneDict: Macro F1 0.2500 (0.1250 to 0.5000) in TX of Example challenge, training" in mailoutbox[0].body
    assert "0.7500" not in mailoutbox[0].body
    assert "UTC: the training phase of Example challenge ends" in mailoutbox[0].body
    assert "the test phase" not in mailoutbox[0].body
    GoldStandard.objects.filter(pk=hidden.gold_id).update(published=now)
    type(score).objects.filter(pk=score.pk).update(computed=now)
    mail_now()
    assert "Macro F1 0.7500 in TX" not in mailoutbox[1].body
    assert "0.2500" in mailoutbox[1].body
    # A week later.
    assert "the test phase of Example challenge begins" in mailoutbox[1].body


def test_drafts_and_challenges_of_others_have_no_dates(member, team, challenge):
    Server.objects.all().delete()
    now = member.report_due
    Phase.objects.update(closes=now + timedelta(days=3))
    report = content.build_team_report(team, member.user, now)
    assert report.is_empty
    Entrant.objects.create(challenge=challenge, team=team, accepted=now)
    assert len(content.build_team_report(team, member.user, now).dates) == 1
    Challenge.objects.update(state="draft")
    assert content.build_team_report(team, member.user, now).is_empty


def test_a_week_without_anything_brings_no_mail_and_the_next_one_is_due(member, mailoutbox):
    Server.objects.all().delete()
    before = member.report_due
    assert mail_now() == 0
    member.refresh_from_db()
    assert member.report_due == before + timedelta(days=7)
    assert mailoutbox == []


def test_it_is_written_once_and_only_when_it_is_due(member, server, mailoutbox):
    assert mail_weekly_reports_unless_busy() == 0
    due = member.report_due
    assert (mail_due_reports(due), mail_due_reports(due)) == (1, 0)
    assert mail_due_reports(due + timedelta(days=7)) == 1


def test_a_report_that_cannot_be_written_lets_others_come_first(member, server, carol, monkeypatch, mailoutbox):
    def fail_for_alice(team, reader, now):
        if reader.pk == member.user_id:
            raise ValueError("No report.")
        return build(team, reader, now)

    build, due = mailing.build_team_report, member.report_due + timedelta(seconds=1)
    Membership.objects.create(team=member.team, user=carol, report_due=due)
    monkeypatch.setattr(mailing, "MOST_REPORTS", 1)
    monkeypatch.setattr(mailing, "build_team_report", fail_for_alice)
    assert (mail_due_reports(due), mail_due_reports(due), mail_due_reports(due)) == (0, 1, 0)
    assert [mail.to for mail in mailoutbox] == [["carol@example.org"]]
    monkeypatch.setattr(mailing, "build_team_report", build)
    assert mail_due_reports(due + timedelta(hours=1)) == 1


@pytest.mark.parametrize("change", ["inactive", "unconfirmed", "left"])
def test_who_cannot_get_mail_gets_none(member, server, mailoutbox, change):
    due = member.report_due
    if change == "inactive":
        type(member.user).objects.update(is_active=False)
    elif change == "unconfirmed":
        member.user.emailaddress_set.update(verified=False)
    else:
        member.delete()
    assert mail_due_reports(due) == 0
    assert mailoutbox == []


def test_its_link_ends_it_without_a_log_in(member, server, mailoutbox):
    mail_now()
    link = re.search(r"No more weekly reports: \S+?(/mail/reports/\S+)", mailoutbox[0].body)[1]
    assert link in mailoutbox[0].extra_headers["List-Unsubscribe"]
    page = Client().get(link)
    assert "End the weekly reports of Team Alpha?" in page.content.decode()
    member.refresh_from_db()
    assert member.report_due is not None
    assert "No more weekly reports of Team Alpha" in Client(enforce_csrf_checks=True).post(link).content.decode()
    member.refresh_from_db()
    assert member.report_due is None
    assert Client().get(f"{link[:-2]}/").status_code == 404
    member.delete()
    assert Client().get(link).status_code == 404


def test_hostile_names_stay_in_their_line(member, server, mailoutbox):
    Server.objects.update(name="A <b>&amp;</b>")
    type(member.team).objects.update(name="T\r\nBcc: x@example.org")
    mail_now()
    assert mailoutbox[0].subject == "[BCMS] T Bcc: x@example.org: weekly report"
    assert "* A <b>&amp;</b>, offline" in mailoutbox[0].body


def test_it_takes_the_same_number_of_queries_for_any_number_of_servers(
    member, server, team, challenge, django_assert_num_queries
):
    store_server_score(server, challenge.phases.get(sort="training"), 0.25)
    now, reader = timezone.now(), member.user
    with django_assert_num_queries(5):
        content.build_team_report(team, reader, now)
    for number in range(3):
        Server.objects.create(
            team=team, name=f"S{number}", slug=f"s{number}", url="http://127.0.0.1:9/", kinds=["taxon"]
        )
    with django_assert_num_queries(5):
        content.build_team_report(team, reader, now)
