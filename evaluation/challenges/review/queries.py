"""The challenges in each review state, of those that have published anything."""

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from evaluation.challenges.models import CHALLENGE_REVIEW_CHOICES, Challenge, Phase
from evaluation.gold.models import GoldStandard
from servers.review.states import ReviewState


def list_challenges_to_review(state: ReviewState = ReviewState.UNREVIEWED) -> QuerySet[Challenge]:
    """Those in this review state, with `runs`, the number of their published runs, the oldest first: 1 query."""
    published = Q(phases__runs__producer__published=True, phases__runs__withdrawn__isnull=True)
    challenges = _list_challenges_with_publications().filter(review=state)
    return challenges.annotate(runs=Count("phases__runs", filter=published)).order_by("pk")


def count_challenges_by_review() -> dict[ReviewState, int]:
    """The number of challenges in each review state: 1 query."""
    counts = dict(_list_challenges_with_publications().values_list("review").annotate(Count("pk")))
    return {ReviewState(state): counts.get(state, 0) for state, _ in CHALLENGE_REVIEW_CHOICES}


def _list_challenges_with_publications() -> QuerySet[Challenge]:
    phases = Phase.objects.filter(challenge=OuterRef("pk"), published__isnull=False)
    golds = GoldStandard.objects.filter(phase__challenge=OuterRef("pk"), published__isnull=False)
    return Challenge.objects.filter(Exists(phases) | Exists(golds))
