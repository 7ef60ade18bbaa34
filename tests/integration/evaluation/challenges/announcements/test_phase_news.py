"""Mail about phases, requests to take part and approvals."""

import pytest
from django.template.loader import render_to_string

from annotations.articles.models import Corpus
from evaluation import tasks
from evaluation.challenges.announcements import phase_news
from evaluation.challenges.followers.choices import MailChoice, store_mail_choice
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.participants.admission import (
    accept_terms_or_refuse_ineligible_team,
    approve_team_without_organizers,
    withdraw_team_approval,
)
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.phases import lifecycle
from evaluation.challenges.phases.events import DAILY_MAILED_EVENTS

pytestmark = pytest.mark.django_db


def test_teams_and_followers_get_one_mail_about_what_happened_to_phases(phase, reader, alice, carol, olga, mailoutbox):
    enter_eligible_server_and_enqueue_articles(reader, phase, alice)
    store_mail_choice(phase.challenge, carol, MailChoice(announcements=True, discussion=False))
    mailoutbox.clear()
    lifecycle.freeze_phase_and_hold_queues(phase, olga, "The network is down.")
    lifecycle.unfreeze_phase_and_update_queues(phase, olga)
    tasks.mail_announcements_unless_busy()
    tasks.mail_announcements_unless_busy()
    assert sorted(mail.to[0] for mail in mailoutbox) == ["alice@example.org", "carol@example.org"]
    assert mailoutbox[0].subject == "[BCMS] Example challenge: training phase frozen and 1 more"
    assert "frozen. The network is down." in mailoutbox[0].body
    assert "unfrozen" in mailoutbox[0].body


def test_nobody_gets_mail_about_a_draft(phase, carol, olga, mailoutbox):
    store_mail_choice(phase.challenge, carol, MailChoice(announcements=True, discussion=False))
    lifecycle.freeze_phase_and_hold_queues(phase, olga, "x")
    Challenge.objects.update(state="draft")
    mailoutbox.clear()
    tasks.mail_announcements_unless_busy()
    Challenge.objects.update(state="listed")
    tasks.mail_announcements_unless_busy()
    assert mailoutbox == []


def test_switching_a_phase_on_and_off_fills_no_mailbox(phase, carol, olga, mailoutbox):
    store_mail_choice(phase.challenge, carol, MailChoice(announcements=True, discussion=False))
    mailoutbox.clear()
    for _ in range(DAILY_MAILED_EVENTS):
        lifecycle.freeze_phase_and_hold_queues(phase, olga, "x")
        lifecycle.unfreeze_phase_and_update_queues(phase, olga)
        tasks.mail_announcements_unless_busy()
    assert 0 < len(mailoutbox) <= DAILY_MAILED_EVENTS


def test_organizers_hear_of_a_request_and_managers_of_the_approval_once(phase, team, alice, olga, mailoutbox):
    challenge = phase.challenge
    Challenge.objects.update(approve_teams=True)
    challenge.refresh_from_db()
    accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    (asked,) = mailoutbox
    assert (asked.to, asked.subject) == (
        ["olga@example.org"],
        "[BCMS] Team Alpha asks to take part in Example challenge",
    )
    mailoutbox.clear()
    for _ in range(3):
        approve_team_without_organizers(challenge, team, olga)
        withdraw_team_approval(challenge, team)
    (approved,) = mailoutbox
    assert approved.to == ["alice@example.org"]
    assert approved.subject == "[BCMS] Team Alpha can take part in Example challenge"
    assert "You can enter a server or upload a run" in approved.body


def test_no_organizer_hears_of_a_team_that_needs_no_approval(phase, team, alice, mailoutbox):
    accept_terms_or_refuse_ineligible_team(phase.challenge, team, alice)
    assert mailoutbox == []


def test_what_happens_to_a_draft_counts_for_no_limit(phase, carol, olga, mailoutbox):
    store_mail_choice(phase.challenge, carol, MailChoice(announcements=True, discussion=False))
    Challenge.objects.update(state="draft")
    phase.refresh_from_db()
    for _ in range(DAILY_MAILED_EVENTS):
        lifecycle.freeze_phase_and_hold_queues(phase, olga, "x")
        lifecycle.unfreeze_phase_and_update_queues(phase, olga)
    Challenge.objects.update(state="listed")
    phase.refresh_from_db()
    mailoutbox.clear()
    lifecycle.freeze_phase_and_hold_queues(phase, olga, "x")
    tasks.mail_announcements_unless_busy()
    assert [mail.to for mail in mailoutbox] == [["carol@example.org"]]


def test_a_challenge_whose_news_cannot_be_mailed_stops_no_other(phase, carol, olga, mailoutbox, monkeypatch):
    other = Challenge.objects.create(name="Other", slug="other", state="listed")
    corpus = Corpus.objects.create(name="Other", slug="other")
    frozen_too = Phase.objects.create(challenge=other, sort="training", corpus=corpus)
    for challenge in (phase.challenge, other):
        store_mail_choice(challenge, carol, MailChoice(announcements=True, discussion=False))
    mailoutbox.clear()
    for each in (phase, frozen_too):
        lifecycle.freeze_phase_and_hold_queues(each, olga, "x")

    def render(template, context):
        if context["challenge"] == phase.challenge:
            raise ValueError
        return render_to_string(template, context)

    monkeypatch.setattr(phase_news, "render_to_string", render)
    assert tasks.mail_announcements_unless_busy() == "1 mails"
    monkeypatch.undo()
    assert tasks.mail_announcements_unless_busy() == "1 mails"
