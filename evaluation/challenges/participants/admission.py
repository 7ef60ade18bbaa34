"""Which teams can take part in a challenge: by invitation, acceptance of the terms, and approval."""

from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from evaluation.challenges.announcements.recipients import map_accounts_to_addresses
from evaluation.challenges.models import Challenge, ChallengeState, Entrance, Entrant, Phase
from evaluation.challenges.organizers.mail import mail_organizers
from evaluation.challenges.states.rules import check_challenge_listed
from evaluation.challenges.webhooks.deliveries import (
    ChallengeNews,
    store_deliveries_to_organizers,
    store_deliveries_to_teams,
)
from evaluation.curation.insiders import list_insiders_of_corpus
from evaluation.errors import ChallengeError
from evaluation.labelling.models import Labeller
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.inbox.entries import notify_accounts, notify_team
from servers.notifications.events import ChallengeEvent
from servers.notifications.site_links import build_site_url
from servers.teams.models import Membership, Team
from servers.teams.permissions import User


def find_entrant_even_if_not_admitted(challenge: Challenge, team: Team) -> Entrant | None:
    """The record of the team in the challenge; None if it never asked to take part."""
    return Entrant.objects.filter(challenge=challenge, team=team).first()


def find_team_participating_or_asking(challenge: Challenge, user: User) -> Team | None:
    """A team of the user that takes part in the challenge or asked to."""
    teams = Team.objects.filter(members=user.pk)
    return (teams.filter(entrants__challenge=challenge) | teams.filter(runs__phase__challenge=challenge)).first()


def _check_no_organizer_on_team(challenge: Challenge, team: Team) -> None:
    """ChallengeError for a team with an organizer of the challenge among its members."""
    organizer = team.members.filter(challenges=challenge).order_by("username").first()
    if organizer is not None:
        raise ChallengeError(
            f"{organizer} of {team} organizes {challenge}, and organizers see the annotations of all teams. They have "
            "to leave the team, or be removed as organizer, before the team can take part."
        )


def check_user_organizes_no_challenge_of_team(team: Team, user: User) -> None:
    """ChallengeError for an organizer of a challenge in which the team takes part or asked to."""
    organized = Challenge.objects.filter(organizers=user.pk)
    challenge = organized.filter(Q(entrants__team=team) | Q(phases__runs__team=team)).order_by("pk").first()
    if challenge is not None:
        raise ChallengeError(
            f"You organize {challenge}, in which {team} takes part, and organizers see the annotations of all teams. "
            "Ask another organizer to remove you, then accept the invitation."
        )


@transaction.atomic
def accept_terms_or_refuse_ineligible_team(challenge: Challenge, team: Team, user: User) -> Entrant:
    """A member accepts the terms for the team and asks to take part.

    An earlier acceptance of the same terms is kept. ChallengeError if the challenge is not listed, if the user is not a
    member, if an organizer is on the team, or if the challenge is by invitation and the team is not invited.
    """
    check_challenge_listed(challenge, "ask to take part")
    if not team.members.filter(pk=user.pk).exists():
        raise ChallengeError(f"Only members of {team} can enter it. Ask one of them.")
    _check_no_organizer_on_team(challenge, team)
    entrant = find_entrant_even_if_not_admitted(challenge, team)
    if entrant is None:
        if challenge.entrance == Entrance.INVITED:
            raise ChallengeError(_format_not_invited(challenge, team))
        entrant, _ = Entrant.objects.get_or_create(challenge=challenge, team=team)
    outdated = Entrant.objects.filter(pk=entrant.pk).exclude(accepted__isnull=False, accepted_terms=challenge.terms)
    if outdated.update(accepted=timezone.now(), accepted_by=user.pk, accepted_terms=challenge.terms):
        record_audit_event(
            AuditAction.CHALLENGE_TEAM_ASKED,
            f"{team} in {challenge}",
            actor=user,
            team=team,
            challenge_id=challenge.pk,
        )
        if challenge.approve_teams and entrant.approved is None:
            _mail_organizers_about_request(challenge, team)
    entrant.refresh_from_db()
    return entrant


def _mail_organizers_about_request(challenge: Challenge, team: Team) -> None:
    link = build_site_url("challenge-organize", challenge.slug)
    context = {"challenge": challenge, "team": team, "link": link}
    body = render_to_string("evaluation/email/team_asks.txt", context)
    mail_organizers(challenge, f"[BCMS] {team} asks to take part in {challenge}", body)
    organizers = challenge.organizers.values_list("pk", flat=True)
    path = reverse("challenge-organize", args=[challenge.slug])
    sentence = f"{team} asks to take part in {challenge}."
    notify_accounts(organizers, sentence, path)
    store_deliveries_to_organizers(ChallengeNews(ChallengeEvent.TEAM_ASKED, challenge, sentence, link), team)


def _mail_managers_about_approval(challenge: Challenge, team: Team, entrant: Entrant) -> None:
    """One mail at most, and none about a draft, whose organizers approve teams before they list it."""
    unmailed = Entrant.objects.filter(pk=entrant.pk, approval_mailed=False)
    if challenge.state == ChallengeState.DRAFT or not unmailed.update(approval_mailed=True):
        return
    path = reverse("challenge", args=[challenge.slug])
    notify_team(team.pk, f"{team} can take part in {challenge}: its organizers approved it.", path)
    link, accepted = build_site_url("challenge", challenge.slug), entrant.has_accepted_terms(challenge.terms)
    context = {"challenge": challenge, "team": team, "link": link, "accepted": accepted}
    body = render_to_string("evaluation/email/team_approved.txt", context)
    subject = " ".join(f"[BCMS] {team} can take part in {challenge}".split())
    managers = Q(membership__team=team, membership__role=Membership.Role.MANAGER)
    for _, address in sorted(map_accounts_to_addresses(managers).items()):
        send_mail(subject, body, None, [address])


@transaction.atomic
def approve_team_without_organizers(challenge: Challenge, team: Team, organizer: User) -> Entrant:
    """Approve a team, which also invites it. An earlier approval is kept.

    ChallengeError if an organizer is on the team.
    """
    _check_no_organizer_on_team(challenge, team)
    entrant, _ = Entrant.objects.get_or_create(challenge=challenge, team=team)
    unapproved = Entrant.objects.filter(pk=entrant.pk, approved__isnull=True)
    if unapproved.update(approved=timezone.now(), approved_by=organizer.pk):
        record_audit_event(
            AuditAction.CHALLENGE_TEAM_APPROVED,
            f"{team} in {challenge}",
            actor=organizer,
            team=team,
            challenge_id=challenge.pk,
        )
        _mail_managers_about_approval(challenge, team, entrant)
        sentence = f"{team} can take part in {challenge}: its organizers approved it."
        _store_deliveries_of_decision(ChallengeEvent.TEAM_APPROVED, challenge, team, sentence)
    entrant.refresh_from_db()
    return entrant


@transaction.atomic
def withdraw_team_approval(challenge: Challenge, team: Team) -> bool:
    """Withdraw the approval: the team can no longer enter or upload. False if it was not approved. Its runs stay."""
    rows = Entrant.objects.filter(challenge=challenge, team=team, approved__isnull=False)
    withdrawn = bool(rows.update(approved=None, approved_by=None))
    if withdrawn:
        subject = f"{team} in {challenge}"
        record_audit_event(AuditAction.CHALLENGE_TEAM_DISAPPROVED, subject, team=team, challenge_id=challenge.pk)
        sentence = f"The organizers of {challenge} withdrew their approval of {team}."
        _store_deliveries_of_decision(ChallengeEvent.TEAM_REFUSED, challenge, team, sentence)
    return withdrawn


def _store_deliveries_of_decision(event: ChallengeEvent, challenge: Challenge, team: Team, sentence: str) -> None:
    link = build_site_url("challenge", challenge.slug)
    store_deliveries_to_teams(ChallengeNews(event, challenge, sentence, link), [team.pk])


def check_team_may_take_part(challenge: Challenge, team: Team) -> None:
    """ChallengeError, saying what to do, for a team that cannot take part (yet). Checked at every entry and upload."""
    _check_no_organizer_on_team(challenge, team)
    if reason := explain_missing_admission(challenge, find_entrant_even_if_not_admitted(challenge, team), team):
        raise ChallengeError(reason)


def check_team_read_no_blind_articles(phase: Phase, team: Team) -> None:
    """ChallengeError for a team with a member who labelled or curated blind articles of the phase."""
    if not phase.corpus.blind:
        return
    rows = Labeller.objects.filter(labelling__corpus=phase.corpus_id, labels__isnull=False, user__teams=team)
    labeller = rows.select_related("user").first()
    insider = labeller or list_insiders_of_corpus(phase.corpus_id).filter(teams=team).first()
    if insider is not None:
        done = "labelled" if labeller else "curated"
        raise ChallengeError(
            f"{insider} of {team} has {done} the articles of the {phase.sort} phase and so knows the gold standard. "
            "The team can take part when they have left it; otherwise write to the organizers."
        )


def explain_missing_admission(challenge: Challenge, entrant: Entrant | None, team: Team) -> str:
    """Why the team cannot take part and what to do about it, as a text for its members; empty if it can."""
    approved = entrant is not None and entrant.approved is not None
    if challenge.entrance == Entrance.INVITED and not approved:
        return _format_not_invited(challenge, team)
    if challenge.terms and (entrant is None or entrant.accepted is None):
        return (
            f"Nobody has accepted the terms of {challenge} for {team}. Accept them on the page of the challenge first."
        )
    if challenge.terms and entrant is not None and not entrant.has_accepted_terms(challenge.terms):
        return f"The terms of {challenge} have changed since {team} accepted them. Accept them again on its page."
    if challenge.approve_teams and not approved:
        if entrant is None:
            return f"The organizers of {challenge} approve each team. Ask to take part on the page of the challenge."
        return f"The organizers of {challenge} have not approved {team} yet. Wait for their decision, or write to them."
    return ""


def _format_not_invited(challenge: Challenge, team: Team) -> str:
    return f"{challenge} is open only to teams that its organizers invite. Ask them to invite {team}."
