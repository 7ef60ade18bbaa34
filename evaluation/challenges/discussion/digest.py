"""One mail a day about new posts of a challenge, to those who asked for it."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.template.loader import render_to_string

from bcms.lib.writing.markdown import clip_markdown_excerpt
from evaluation.challenges.announcements.recipients import map_accounts_to_addresses
from evaluation.challenges.discussion.models import DiscussionPost
from evaluation.challenges.discussion.queries import annotate_thread_titles
from evaluation.challenges.followers.mail_rounds import count_written_mails
from evaluation.challenges.followers.models import ChallengeFollower
from evaluation.challenges.followers.unsubscribe_links import build_challenge_mail
from evaluation.challenges.models import ChallengeState
from servers.notifications.site_links import build_site_url

DIGEST_PERIOD = timedelta(days=1)
MOST_POSTS = 50
MOST_DIGESTS = 500
# A post has its time before its transaction is committed: what is newer than this waits for the next mail.
COMMIT_TIME = timedelta(minutes=1)


def list_due_digests(until: datetime) -> QuerySet[ChallengeFollower]:
    """Followers whose last mail was a day before `until`, and for whom others have written between."""
    posts = DiscussionPost.objects.filter(
        thread__challenge=OuterRef("challenge"), at__gt=OuterRef("digested"), at__lte=until, hidden=None, removed=None
    ).exclude(author=OuterRef("user"))
    return (
        ChallengeFollower.objects.filter(discussion=True, digested__lte=until - DIGEST_PERIOD)
        .exclude(challenge__state=ChallengeState.DRAFT)
        .filter(Exists(posts))
        .select_related("challenge")
        .order_by("digested", "pk")
    )


def mail_due_digests(now: datetime) -> int:
    """Write the due mails, at most MOST_DIGESTS. Returns their number."""
    until = now - COMMIT_TIME
    followers = list(list_due_digests(until)[:MOST_DIGESTS])
    addresses = map_accounts_to_addresses(Q(pk__in=[each.user_id for each in followers]))
    return count_written_mails(
        partial(_mail_digest, each, addresses.get(each.user_id, ""), until) for each in followers
    )


@transaction.atomic
def _mail_digest(follower: ChallengeFollower, address: str, until: datetime) -> int:
    """Mail one follower and mark the posts as told, in one transaction; 0 if it is not due any more."""
    untold = list_due_digests(until).filter(pk=follower.pk, digested=follower.digested)
    if not untold.update(digested=until) or not address:
        return 0
    challenge = follower.challenge
    shown = DiscussionPost.objects.filter(
        thread__challenge=challenge, at__gt=follower.digested, at__lte=until, hidden=None, removed=None
    ).exclude(author=follower.user_id)
    posts = annotate_thread_titles(shown).select_related("author").order_by("thread", "at", "pk")
    number = posts.count()
    context = {
        "challenge": challenge,
        "posts": _list_excerpts(posts[:MOST_POSTS]),
        "more": max(0, number - MOST_POSTS),
        "link": build_site_url("challenge-discussion", challenge.slug),
    }
    body = render_to_string("evaluation/email/discussion.txt", context)
    subject = f"[BCMS] {challenge}: {number} new post{'' if number == 1 else 's'}"
    return build_challenge_mail(challenge, follower.user_id, address, subject, body).send()


def _list_excerpts(posts: QuerySet[Any]) -> list[dict[str, str]]:
    return [
        {
            "thread": post.thread_title,
            "author": post.author.username if post.author else "former member",
            "excerpt": clip_markdown_excerpt(post.text),
        }
        for post in posts
    ]
