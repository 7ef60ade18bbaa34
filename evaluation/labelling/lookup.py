"""Look up labellings and the labellers of a user, for pages and API."""

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from evaluation.challenges.models import Challenge
from evaluation.challenges.states.rules import CLOSED_STATES
from evaluation.errors import ChallengeError
from evaluation.labelling.curators import check_not_competing_if_blind
from evaluation.labelling.models import Labeller, Labelling
from servers.teams.permissions import User


def get_labelling_or_404(challenge: Challenge, corpus_slug: str) -> Labelling:
    """Return the labelling of the challenge for the corpus with this slug. Raises Http404 if there is none."""
    rows: QuerySet[Labelling] = Labelling.objects.select_related("corpus", "challenge")
    return get_object_or_404(rows, challenge=challenge, corpus__slug=corpus_slug)


def list_open_labellers(user: User) -> QuerySet[Labeller]:
    """The user as a curator who is not released, of labellings of challenges that are not closed or archived."""
    rows = Labeller.objects.filter(user=user.pk, released__isnull=True)
    return rows.exclude(labelling__challenge__state__in=CLOSED_STATES)


def get_active_labeller_or_403_if_competing(user: User, labeller_id: int) -> Labeller:
    """Return the labeller if the user is this curator and not released. Raises Http404 otherwise.

    Raises PermissionDenied if the articles are blind and the user has joined a team that takes part.
    """
    rows = Labeller.objects.filter(user=user.pk, released__isnull=True)
    labeller = get_object_or_404(
        rows.select_related("labelling__corpus", "labelling__challenge", "article"), pk=labeller_id
    )
    try:
        check_not_competing_if_blind(labeller.labelling, user)
    except ChallengeError:
        raise PermissionDenied(
            "You have joined a team that takes part in this challenge, so you can no longer label its blind articles. "
            "Tell the organizers."
        ) from None
    return labeller
