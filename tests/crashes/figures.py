"""The counts at the end."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figures:
    """Counted at the annotation servers and in the database.

    answered: calls. lost: articles that were sent to a server and have no result of it. doubled: results, replies
    or annotations beyond one a call. charged: calls with another number of tries than one. asked_again: requests beyond
    one a call. cut_off: attempts that brought no answer. unexplained: requests beyond the attempts of their call.
    most_at_once: requests at one server whose connections were all alive. left: batches although no call is open.
    longest: for each sort of blow, the seconds from when the part ran again until each server had a new answer.
    """

    answered: int
    lost: int
    doubled: int
    charged: int
    asked_again: int
    cut_off: int
    unexplained: int
    most_at_once: int
    left: int
    outcomes: dict[str, int]
    longest: dict[str, float]
