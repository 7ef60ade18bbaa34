"""What organizers can do in the discussion of their challenge: hide posts, lock and pin threads."""

from django.db import transaction
from django.utils import timezone

from evaluation.challenges.discussion.models import DiscussionPost, DiscussionThread
from evaluation.errors import ChallengeError
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import User, get_logged_in_user_id


@transaction.atomic
def hide_post(post: DiscussionPost, organizer: User, reason: str) -> None:
    """Hide a post from everybody but the organizers, who still read it. Readers see that it was hidden, and why."""
    if not reason.strip():
        raise ChallengeError("Say why the post is hidden. Readers see the reason in its place.")
    rows = DiscussionPost.objects.filter(pk=post.pk, hidden__isnull=True)
    hidden_by = get_logged_in_user_id(organizer)
    if rows.update(hidden=timezone.now(), hidden_by=hidden_by, hidden_reason=reason.strip()):
        _record_moderation(AuditAction.CHALLENGE_POST_HIDDEN, post, reason)


@transaction.atomic
def show_hidden_post(post: DiscussionPost) -> None:
    rows = DiscussionPost.objects.filter(pk=post.pk, hidden__isnull=False)
    if rows.update(hidden=None, hidden_by=None, hidden_reason=""):
        _record_moderation(AuditAction.CHALLENGE_POST_SHOWN, post, "")


def _record_moderation(action: AuditAction, post: DiscussionPost, reason: str) -> None:
    challenge = post.thread.challenge
    record_audit_event(
        action,
        f"post {post.pk} in {challenge}",
        after={"thread": post.thread_id},
        reason=reason[:500],
        challenge_id=challenge.pk,
    )


@transaction.atomic
def lock_or_pin_thread(thread: DiscussionThread, *, locked: bool, pinned: bool) -> None:
    """Let nobody reply, or everybody; show the thread first, or by its last post."""
    before = {"locked": thread.locked, "pinned": thread.pinned}
    after = {"locked": locked, "pinned": pinned}
    if before != after:
        DiscussionThread.objects.filter(pk=thread.pk).update(**after)
        subject = f"thread {thread.pk} in {thread.challenge}"
        record_audit_event(
            AuditAction.CHALLENGE_THREAD_CHANGED,
            subject,
            before=before,
            after=after,
            challenge_id=thread.challenge_id,
        )
