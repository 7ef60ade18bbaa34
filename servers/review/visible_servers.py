"""Which servers and live annotations a reader may see, depending on the review of each server."""

from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from servers.calls.models import Queue
from servers.registry.models import Server
from servers.review.models import ReviewDecision
from servers.review.states import ReviewState
from servers.teams.models import Membership
from servers.teams.permissions import User


def list_listed_servers(user: User, *, with_unreviewed: bool = False) -> QuerySet[Server]:
    """The servers in lists: those that are accepted and those of the user's own teams; all for staff.

    with_unreviewed: also those that nobody has reviewed yet.
    """
    if _is_staff(user):
        return Server.objects.all()
    states = [ReviewState.ACCEPTED, *([ReviewState.UNREVIEWED] if with_unreviewed else [])]
    return Server.objects.filter(Q(review__in=states) | Q(team__in=_list_teams(user)))


def list_servers_with_public_page(user: User) -> QuerySet[Server]:
    """The servers whose pages the user may see.

    Those that are declined or private are hidden, unless they have published results in a challenge.
    """
    published = Queue.objects.filter(server=OuterRef("pk"), producer__published=True)
    return Server.objects.filter(
        Q(pk__in=list_listed_servers(user, with_unreviewed=True).values("pk")) | Exists(published)
    )


def make_askable_queue_filter(user: User) -> Q:
    """The condition that the server of a LIVE queue is called for an article that the user opens."""
    return Q(server__review=ReviewState.ACCEPTED) | Q(server__team__in=_list_teams(user))


def _list_teams(user: User) -> QuerySet[Membership, Any]:
    return Membership.objects.filter(user=user.pk).values("team")


def list_servers_to_review() -> QuerySet[Server]:
    """The servers that wait for a review, the oldest first."""
    return Server.objects.filter(review=ReviewState.UNREVIEWED).select_related("team").order_by("created", "pk")


def count_servers_by_review() -> dict[ReviewState, int]:
    """The number of servers in each review state: 1 query."""
    counts = dict(Server.objects.values_list("review").annotate(Count("pk")))
    return {state: counts.get(state, 0) for state in ReviewState}


def list_latest_review_decisions(server: Server) -> list[ReviewDecision]:
    """The last five changes of the server's review state, newest first: 1 query."""
    return list(server.review_decisions.select_related("by").order_by("-pk")[:5])


def _is_staff(user: User) -> bool:
    return user.is_authenticated and bool(getattr(user, "is_staff", False))
