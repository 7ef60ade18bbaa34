"""The review states of a server and the allowed changes between them."""

from collections.abc import Mapping, Set
from enum import StrEnum


class ReviewState(StrEnum):
    """Who sees the LIVE and published annotations of a server with articles, apart from its team and staff.

    UNREVIEWED: readers who choose to include unreviewed servers and challenges. ACCEPTED: everybody. DECLINED and
    PRIVATE: nobody; the first is a decision of reviewers, the second one of the team. A challenge is in one of the
    first three states, for what it has published of producers that are not servers.
    """

    UNREVIEWED = "unreviewed"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    PRIVATE = "private"


REVIEW_LABELS = {
    ReviewState.UNREVIEWED: "unreviewed",
    ReviewState.ACCEPTED: "accepted",
    ReviewState.DECLINED: "declined",
    ReviewState.PRIVATE: "private",
}
REVIEW_CHOICES = [(state.value, state.value) for state in ReviewState]
# What each state means, for the team.
REVIEW_MEANINGS = {
    ReviewState.UNREVIEWED: (
        "Only your team and administrators see its live annotations and published runs on articles, unless a reader "
        "chooses to include unreviewed servers and challenges. Only articles that your team opens or loads are sent to "
        "it. A reviewer will accept or decline it; load a corpus, so that there is something to look at."
    ),
    ReviewState.ACCEPTED: (
        "Everybody sees its live annotations and published runs on articles, and articles that readers open are sent "
        "to it. A change of the host in its URL, or of its kinds, needs another review."
    ),
    ReviewState.DECLINED: (
        "Only your team and administrators see its live annotations and published runs on articles. Only articles that "
        "your team opens or loads are sent to it. Follow the reviewer's note, then ask for another review."
    ),
    ReviewState.PRIVATE: (
        "Only your team and administrators see its live annotations and published runs on articles, because your team "
        "has chosen so. Only articles that your team opens or loads are sent to it."
    ),
}
# The decisions of reviewers, and the changes that the team may make.
REVIEWER_EDGES: Mapping[ReviewState, Set[ReviewState]] = {
    ReviewState.UNREVIEWED: {ReviewState.ACCEPTED, ReviewState.DECLINED},
    ReviewState.ACCEPTED: {ReviewState.DECLINED},
    ReviewState.DECLINED: {ReviewState.ACCEPTED},
}
TEAM_EDGES: Mapping[ReviewState, Set[ReviewState]] = {
    ReviewState.UNREVIEWED: {ReviewState.PRIVATE},
    ReviewState.ACCEPTED: {ReviewState.PRIVATE},
    ReviewState.DECLINED: {ReviewState.UNREVIEWED},
    ReviewState.PRIVATE: {ReviewState.UNREVIEWED},
}
# A change of the server's content returns it to review.
CHANGE_EDGES: Mapping[ReviewState, Set[ReviewState]] = {
    ReviewState.ACCEPTED: {ReviewState.UNREVIEWED},
    ReviewState.DECLINED: {ReviewState.UNREVIEWED},
}
