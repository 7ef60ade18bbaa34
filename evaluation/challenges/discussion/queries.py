"""The threads of a challenge and their posts, for readers and for organizers."""

from typing import Any

from django.db.models import Case, CharField, Count, F, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from evaluation.challenges.discussion.models import DiscussionPost, DiscussionThread
from evaluation.challenges.models import Challenge

REMOVED_TITLE, HIDDEN_TITLE = "Removed thread", "Hidden thread"


def list_threads_of_challenge(challenge: Challenge) -> QuerySet[Any]:
    """With who began them, and the title that readers see, as shown_title."""
    return challenge.threads.select_related("begun_by").annotate(shown_title=_build_shown_title("pk", "title"))


def list_threads_with_post_counts(challenge: Challenge) -> QuerySet[Any]:
    """Pinned threads first, then by last post; each with the number of its posts."""
    threads: QuerySet[Any] = list_threads_of_challenge(challenge).annotate(number=Count("posts"))
    return threads.order_by("-pinned", "-last_post", "-pk")


def list_posts_of_thread(thread: DiscussionThread) -> QuerySet[DiscussionPost]:
    """Oldest first, with their authors."""
    return thread.posts.select_related("author", "hidden_by").order_by("at", "pk")


def annotate_thread_titles(posts: QuerySet[DiscussionPost]) -> QuerySet[Any]:
    """Each with the title of its thread that readers see, as thread_title."""
    return posts.annotate(thread_title=_build_shown_title("thread", "thread__title"))


def _build_shown_title(thread: str, title: str) -> Coalesce:
    """What begins a thread and its title are one text: readers see neither if it was hidden or removed."""
    first = DiscussionPost.objects.filter(thread=OuterRef(thread)).order_by("at", "pk")
    shown = Case(
        When(removed__isnull=False, then=Value(REMOVED_TITLE)),
        When(hidden__isnull=False, then=Value(HIDDEN_TITLE)),
        default=F("thread__title"),
        output_field=CharField(),
    )
    return Coalesce(Subquery(first.annotate(shown=shown).values("shown")[:1]), F(title))
