"""The states of manuscripts, and what their links allow; the values are public."""

from enum import StrEnum


class ManuscriptState(StrEnum):
    """OPEN: its author may work on it. REFUSED: the author takes no part. WITHDRAWN and PUBLISHED are final."""

    OPEN = "open"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    PUBLISHED = "published"


# The states in which the article is private, and servers may still be called for it.
PRIVATE_STATES = (ManuscriptState.OPEN, ManuscriptState.REFUSED)


class LinkRole(StrEnum):
    """AUTHOR: curate the manuscript. REVIEWER: read its record and comment on it."""

    AUTHOR = "author"
    REVIEWER = "reviewer"


LINK_ROLE_CHOICES = [(role.value, role.value) for role in LinkRole]
