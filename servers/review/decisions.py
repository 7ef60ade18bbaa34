"""Change the review state of a server, by a reviewer, its team, or a change of its content."""

from collections.abc import Mapping, Set
from urllib.parse import urlsplit

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, Q

from annotations.results.models import Producer
from annotations.results.producers import set_producers_public_or_hidden
from bcms.lib.text import clip_text_replacing_unprintable
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.calls.queues.missed_articles import give_up_missed_articles
from servers.calls.states import QueueMode
from servers.notifications import notices
from servers.notifications.events import EventType
from servers.registry.models import Server
from servers.registry.states import list_possible_previous_states
from servers.review.models import LONGEST_NOTE, ReviewDecision
from servers.review.states import CHANGE_EDGES, REVIEW_LABELS, REVIEWER_EDGES, TEAM_EDGES, ReviewState
from servers.teams.permissions import User

REVIEW_PERMISSION = "servers.review_server"


def can_review_servers(user: User) -> bool:
    """Whether the user is staff, or an account that has the right to review servers."""
    return bool(
        user.is_authenticated
        and getattr(user, "is_active", False)
        and (getattr(user, "is_staff", False) or getattr(user, "has_perm")(REVIEW_PERMISSION))  # noqa: B009
    )


def check_may_review(user: User) -> None:
    """PermissionDenied unless the user may review servers and challenges."""
    if not can_review_servers(user):
        raise PermissionDenied(
            "Only administrators, and accounts with the permission “Can accept and decline servers”, review servers "
            "and challenges."
        )


def apply_review_decision(server: Server, decision: ReviewState, note: str = "", reviewer: User | None = None) -> bool:
    """Accept or decline a server: show its annotations to everybody, or hide them, and notify its team.

    These are the live ones and those that challenges have published.

    False if its review state does not allow the decision, for example because another reviewer was faster.
    """
    return _change_review_notifying_team(server.pk, decision, REVIEWER_EDGES, note, reviewer)


def apply_team_choice(server: Server, choice: ReviewState, member: User) -> bool:
    """Make a server private, or let a private or declined one wait for a review; False if it cannot be done now."""
    return _change_review(server.pk, choice, TEAM_EDGES, "", member)


def return_server_to_review_if_content_may_change(
    server: Server, new_url: str, new_kinds: Set[str], new_entity_types: Set[str]
) -> bool:
    """Let a reviewed server wait for another review if the host in its URL, its kinds or its types change.

    server has the stored values. Other settings, such as the time limit, change nothing about what it reports.
    """
    same_host = urlsplit(new_url).hostname == urlsplit(server.url).hostname
    same_kinds, same_types = new_kinds == set(server.kinds), new_entity_types == set(server.entity_types)
    if same_host and same_kinds and same_types:
        return False
    changed = "host in the URL" if not same_host else "entity types" if same_kinds else "kinds of annotation"
    note = f"The {changed} changed, so the server needs another review."
    return _change_review_notifying_team(server.pk, ReviewState.UNREVIEWED, CHANGE_EDGES, note, None)


@transaction.atomic
def _change_review_notifying_team(
    server_id: int, new_state: ReviewState, edges: Mapping[ReviewState, Set[ReviewState]], note: str, user: User | None
) -> bool:
    if not _change_review(server_id, new_state, edges, note, user):
        return False
    reason = f"{REVIEW_LABELS[new_state]}. {note}".strip()
    notices.store_wanted_notice_and_deliveries_of_event(server_id, EventType.SERVER_REVIEWED, reason=reason)
    return True


@transaction.atomic
def _change_review(
    server_id: int, new_state: ReviewState, edges: Mapping[ReviewState, Set[ReviewState]], note: str, user: User | None
) -> bool:
    """Move the server to a review state and log it; False if no edge leads there from its current state.

    Its live annotations and those that challenges have published are public or hidden with the commit. While its row
    is locked, no answer is stored.
    """
    server = Server.objects.select_for_update().get(pk=server_id)
    if server.review not in list_possible_previous_states(new_state, edges):
        return False
    Server.objects.filter(pk=server_id).update(review=new_state, version=F("version") + 1)
    ReviewDecision.objects.create(
        server=server,
        before=server.review,
        after=new_state,
        note=clip_text_replacing_unprintable(note, LONGEST_NOTE),
        by_id=user.pk if user else None,
    )
    record_audit_event(
        AuditAction.SERVER_REVIEWED,
        server,
        before={"review": server.review},
        after={"review": new_state},
        reason=note,
        actor=user,
        team=server.team,
    )
    reviewed = Q(queue__mode=QueueMode.LIVE) | Q(published=True)
    producers = Producer.objects.filter(reviewed, queue__server=server_id)
    set_producers_public_or_hidden(producers, public=new_state == ReviewState.ACCEPTED)
    if new_state != ReviewState.ACCEPTED:
        give_up_missed_articles(server_id)
    return True
