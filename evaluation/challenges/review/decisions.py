"""Accept or decline what a challenge has published.

The decision is about producers that are not servers: uploads, baselines and gold standards, and about the calibrations
learned from these. Annotations of servers follow the review of their server (servers/review/decisions.py).
"""

from django.db import transaction
from django.template.loader import render_to_string

from annotations.results.producers import set_producers_public_or_hidden
from evaluation.calibration.models import Calibration
from evaluation.calibration.page_updates import mark_producers_to_reload_calibration_pages
from evaluation.challenges.models import Challenge
from evaluation.challenges.organizers.mail import mail_organizers
from evaluation.visibility import list_published_producers_of_challenge
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.notifications.site_links import build_site_url
from servers.registry.states import list_possible_previous_states
from servers.review.states import REVIEW_LABELS, REVIEWER_EDGES, ReviewState
from servers.teams.permissions import User


@transaction.atomic
def apply_challenge_decision(challenge: Challenge, decision: ReviewState, note: str, reviewer: User) -> bool:
    """Accept or decline a challenge: articles show what it has published by default, or no more. Organizers get a mail.

    What the challenge publishes later follows the decision. False if its review state does not allow the decision, for
    example because another reviewer was faster.
    """
    # Publication locks the row, too.
    before = Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    if before.review not in list_possible_previous_states(decision, REVIEWER_EDGES):
        return False
    Challenge.objects.filter(pk=challenge.pk).update(review=decision)
    challenge.review = decision
    record_audit_event(
        AuditAction.CHALLENGE_REVIEWED,
        challenge,
        before={"review": before.review},
        after={"review": decision},
        reason=note,
        actor=reviewer,
        challenge_id=challenge.pk,
    )
    set_producers_public_or_hidden(
        list_published_producers_of_challenge(challenge), public=decision == ReviewState.ACCEPTED
    )
    mark_producers_to_reload_calibration_pages(Calibration.objects.filter(run__phase__challenge=challenge))
    _mail_decision(challenge, decision, note)
    return True


def _mail_decision(challenge: Challenge, decision: ReviewState, note: str) -> None:
    link = build_site_url("challenge-organize", challenge.slug)
    context = {"challenge": challenge, "decision": REVIEW_LABELS[decision], "note": note, "link": link}
    body = render_to_string("evaluation/email/challenge_reviewed.txt", context)
    mail_organizers(challenge, f"[BCMS] {challenge}: its published results are {REVIEW_LABELS[decision]}", body)
