"""What a person may have work in, asked at once, so that their home page loads nothing of what they have no part in."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from servers.teams.permissions import User

# A statement of its own, as Django would build these six for longer than PostgreSQL needs to answer them.
ROLES_OF_READER = """
    SELECT
        ARRAY(SELECT team_id FROM servers_membership WHERE user_id = %(reader)s),
        ARRAY(SELECT challenge_id FROM evaluation_challenge_organizers WHERE user_id = %(reader)s),
        EXISTS (SELECT FROM annotations_curator AS curator
            JOIN annotations_curation AS curation ON curation.curator_id = curator.id
            WHERE curator.user_id = %(reader)s),
        EXISTS (SELECT FROM evaluation_labeller WHERE user_id = %(reader)s),
        EXISTS (SELECT FROM evaluation_pooljudge WHERE user_id = %(reader)s),
        EXISTS (SELECT FROM annotations_manuscript WHERE journal_id = %(reader)s)
"""


@dataclass(frozen=True, slots=True)
class Roles:
    """teams and challenges: the ids of those of which the person is a member or an organizer.

    has_curations, labels, judges, has_sent_manuscripts: false if there is no such work; what is closed or ended counts
    here.
    """

    teams: Sequence[int]
    challenges: Sequence[int]
    has_curations: bool
    labels: bool
    judges: bool
    has_sent_manuscripts: bool


def load_roles(reader: User) -> Roles:
    """1 query."""
    with connection.cursor() as cursor:
        cursor.execute(ROLES_OF_READER, {"reader": reader.pk})
        return Roles(*cursor.fetchone())
