"""The roles of users, and the audiences that bcms/access_table.py names: which roles have access to something."""

from dataclasses import dataclass
from enum import StrEnum


class AccessRole(StrEnum):
    """A role of a user; team and challenge are those of the object at the URL."""

    VISITOR = "visitor"
    PERSON = "logged in, on no team"
    OTHER_TEAM = "on another team"
    MEMBER = "member of the team"
    MANAGER = "manager of the team"
    ORGANIZER = "organizer of the challenge"
    OTHER_ORGANIZER = "organizer of another challenge"
    CURATOR = "curator, named by the organizers"
    STAFF = "administrator"


@dataclass(frozen=True, slots=True)
class Audience:
    """The roles that have access, and their description in the manual."""

    description: str
    roles: frozenset[AccessRole]


def _make_audience(description: str, *roles: AccessRole) -> Audience:
    return Audience(description, frozenset(roles))


EVERYBODY = _make_audience("everyone", *AccessRole)
LOGGED_IN = _make_audience(
    "logged-in users, for their own data", *(role for role in AccessRole if role != AccessRole.VISITOR)
)
DATA_SET_OWNER = _make_audience("the owner of the data set, administrators", AccessRole.MANAGER, AccessRole.STAFF)
DATA_SET_OWNER_ITSELF = _make_audience("the owner of the data set, for a team of theirs", AccessRole.MANAGER)
CURATION_OWNER = _make_audience("the curator whose work it is", AccessRole.PERSON)
POST_AUTHOR = _make_audience("the author of the post", AccessRole.PERSON)
RECORD_WITHDRAWERS = _make_audience(
    "its curator, reviewers, the owner of its project, organizers of its challenge",
    *(AccessRole.PERSON, AccessRole.STAFF),
)
OWNER = _make_audience("the owner or recipient", AccessRole.PERSON)
TEAMS_AND_ORGANIZERS = _make_audience(
    "teams that can take part in the challenge, its organizers, administrators",
    *(AccessRole.OTHER_TEAM, AccessRole.MEMBER, AccessRole.MANAGER, AccessRole.ORGANIZER, AccessRole.STAFF),
)
TEAM_AND_ORGANIZERS = _make_audience(
    "the team, organizers of the challenge, administrators",
    AccessRole.MEMBER,
    AccessRole.MANAGER,
    AccessRole.ORGANIZER,
    AccessRole.STAFF,
)
TEAM = _make_audience("the team, administrators", AccessRole.MEMBER, AccessRole.MANAGER, AccessRole.STAFF)
TEAM_ITSELF = _make_audience("the team only", AccessRole.MEMBER, AccessRole.MANAGER)
MANAGERS = _make_audience("managers of the team, administrators", AccessRole.MANAGER, AccessRole.STAFF)
ORGANIZERS = _make_audience("organizers of the challenge, administrators", AccessRole.ORGANIZER, AccessRole.STAFF)
ANY_ORGANIZER = _make_audience(
    "organizers of any challenge, administrators", AccessRole.ORGANIZER, AccessRole.OTHER_ORGANIZER, AccessRole.STAFF
)
CURATOR = _make_audience("the curator invited to label or judge", AccessRole.CURATOR)
PROJECT_OWNER = _make_audience(
    "the owner of the curation project, administrators", AccessRole.ORGANIZER, AccessRole.STAFF
)
PROJECT_DECIDERS = _make_audience(
    "the owner of the curation project, its adjudicators, organizers of its challenge", AccessRole.ORGANIZER
)
PROJECT_MEMBERS = _make_audience(
    "the owner and the curators of the curation project, administrators",
    *(AccessRole.ORGANIZER, AccessRole.CURATOR, AccessRole.STAFF),
)
PROJECT_PARTICIPANTS = _make_audience(
    "the curators of the curation project, and those who see what was decided", AccessRole.ORGANIZER, AccessRole.CURATOR
)
PROJECT_CURATOR = _make_audience("the curator in the curation project", AccessRole.CURATOR)
ADMINISTRATORS = _make_audience("administrators", AccessRole.STAFF)
OPERATORS = _make_audience("programs on the machines of the operator (METRICS_NETWORKS), whatever the role")
STAFF = _make_audience("administrators, and users to whom they grant the permission", AccessRole.STAFF)
NOBODY = _make_audience("no one")
JOURNALS = _make_audience("accounts with the right to submit manuscripts", AccessRole.MANAGER)
JOURNAL = _make_audience(
    "the journal that sent the manuscript, administrators if it has lost its right", AccessRole.MANAGER
)
LINK_HOLDERS = _make_audience("the author or reviewers, by a link of the journal's")
