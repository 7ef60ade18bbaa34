"""Write and remove posts in the discussion of a challenge."""

from datetime import timedelta

from django.contrib.auth.models import User as Account
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from evaluation.challenges.discussion.models import DiscussionPost, DiscussionThread
from evaluation.challenges.discussion.queries import list_posts_of_thread
from evaluation.challenges.models import Challenge, ChallengeState
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.repeated_texts import REPEATED_WITHIN
from evaluation.errors import ChallengeError
from servers.inbox.entries import notify_accounts_once_until_read
from servers.teams.permissions import User, get_logged_in_user_id

# Enough for a lively exchange, too few to bury what others write.
HOURLY_POSTS = 20
DAILY_THREADS = 10
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
SILENT_STATES = {ChallengeState.DRAFT, ChallengeState.ARCHIVED}


def explain_silence(challenge: Challenge) -> str:
    """Why nobody can write in the discussion; empty if it is open."""
    if challenge.state == ChallengeState.DRAFT:
        return "The discussion opens when the challenge is listed."
    return "The challenge is archived, and its discussion is closed." if challenge.state in SILENT_STATES else ""


def _check_discussion_open(challenge: Challenge) -> None:
    if reason := explain_silence(challenge):
        raise ChallengeError(reason)


def _check_posts_left(author: User) -> None:
    own = DiscussionPost.objects.filter(author=author.pk, at__gt=timezone.now() - HOUR)
    if own.count() >= HOURLY_POSTS:
        raise ChallengeError(f"You wrote {HOURLY_POSTS} posts within an hour. Send your text again later.")


def _lock_account(author: User) -> None:
    """So that two requests at once cannot pass a limit together, nor store a text twice."""
    Account.objects.select_for_update(no_key=True).get(pk=get_logged_in_user_id(author))


def _find_repeated_thread(challenge: Challenge, author: User, title: str, text: str) -> DiscussionThread | None:
    """The thread that the user has just begun with this title and text."""
    just_begun = challenge.threads.filter(begun_by=author.pk, title=title, created__gt=timezone.now() - REPEATED_WITHIN)
    return just_begun.filter(posts__in=_list_posts_with_text(author, text)).first()


def _list_posts_with_text(author: User, text: str) -> QuerySet[DiscussionPost]:
    return DiscussionPost.objects.filter(
        author=author.pk, text=text, removed=None, at__gt=timezone.now() - REPEATED_WITHIN
    )


def _find_repeated_reply(thread: DiscussionThread, author: User, text: str) -> DiscussionPost | None:
    """The last post of the thread if the user has just written it with this text."""
    last = list_posts_of_thread(thread).values("pk").last()
    return _list_posts_with_text(author, text).filter(pk=last["pk"]).first() if last else None


@transaction.atomic
def begin_thread(challenge: Challenge, author: User, *, title: str, text: str) -> DiscussionThread:
    """Start a thread with its first post, unless the user has just done so: then return that one.

    ChallengeError if the discussion is closed or the user wrote too much.
    """
    _check_discussion_open(challenge)
    _lock_account(author)
    if repeated := _find_repeated_thread(challenge, author, title, text):
        return repeated
    _check_posts_left(author)
    threads = challenge.threads.filter(begun_by=author.pk, created__gt=timezone.now() - DAY)
    if threads.count() >= DAILY_THREADS and not can_organize(author, challenge):
        raise ChallengeError(f"You began {DAILY_THREADS} threads within a day. Reply in one of them, or wait.")
    now = timezone.now()
    thread = DiscussionThread.objects.create(
        challenge=challenge, title=title, begun_by_id=author.pk, created=now, last_post=now
    )
    DiscussionPost.objects.create(thread=thread, author_id=author.pk, text=text, at=now)
    return thread


@transaction.atomic
def reply_in_thread(thread: DiscussionThread, author: User, text: str) -> DiscussionPost:
    """Add a post, unless it is the last one already: then return that. ChallengeError for a locked thread, a closed
    discussion, and for a user who wrote too much.
    """
    thread = DiscussionThread.objects.select_for_update(of=("self",)).select_related("challenge").get(pk=thread.pk)
    if thread.locked and not can_organize(author, thread.challenge):
        raise ChallengeError("The organizers have locked this thread. Start another one if something is open.")
    _check_discussion_open(thread.challenge)
    _lock_account(author)
    if repeated := _find_repeated_reply(thread, author, text):
        return repeated
    _check_posts_left(author)
    now = timezone.now()
    DiscussionThread.objects.filter(pk=thread.pk).update(last_post=now)
    _notify_other_authors(thread, author)
    return DiscussionPost.objects.create(thread=thread, author_id=get_logged_in_user_id(author), text=text, at=now)


def _notify_other_authors(thread: DiscussionThread, author: User) -> None:
    """Those whose posts are in the thread. The sentence quotes nothing, as posts and titles can be hidden later."""
    posts = DiscussionPost.objects.filter(thread=thread, removed=None, author__is_active=True).exclude(author=author.pk)
    authors = [account for account in posts.values_list("author", flat=True).distinct() if account is not None]
    path = reverse("challenge-thread", args=[thread.challenge.slug, thread.pk])
    notify_accounts_once_until_read(authors, f"{thread.challenge}: new replies in a thread in which you wrote.", path)


@transaction.atomic
def remove_own_post(post: DiscussionPost, author: User) -> None:
    """The author takes back what they wrote: the text is deleted, its place stays. ChallengeError for anybody else.

    With the first post of a thread, the title is deleted, too.
    """
    if post.author_id is None or post.author_id != author.pk:
        raise ChallengeError("Only its author can remove a post. Organizers can hide it.")
    DiscussionPost.objects.filter(pk=post.pk, removed__isnull=True).update(removed=timezone.now(), text="")
    if list_posts_of_thread(post.thread).values_list("pk", flat=True).first() == post.pk:
        DiscussionThread.objects.filter(pk=post.thread_id).update(title="")
