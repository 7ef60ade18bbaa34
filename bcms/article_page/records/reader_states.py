"""What decides, beside the state of an article for visitors, which of its records an account may see."""

from dataclasses import dataclass

from django.db import connection

from evaluation.visibility import is_staff
from servers.teams.permissions import User

# What is stored by producers that are not public raises no version of the article.
READER_STATE = """
    SELECT
        ARRAY(SELECT team_id FROM servers_membership WHERE user_id = %(user)s ORDER BY team_id),
        ARRAY(SELECT challenge_id FROM evaluation_challenge_organizers WHERE user_id = %(user)s ORDER BY challenge_id),
        (SELECT sum(renewed) FROM annotations_producer WHERE id IN (SELECT producer_id FROM servers_queue)),
        (
            SELECT sum(hashtextextended(
                ROW(id, text_version, moved_from, not_movable, empty_reason)::text, 0
            )) FROM annotations_result WHERE article_id = %(article)s AND superseded IS NULL
        )
"""


@dataclass(frozen=True, slots=True)
class ReaderState:
    """An account with a role by which it may see more than visitors: two states are equal if it sees the same records.

    account: 0 for visitors and for accounts without such a role. teams, challenges: the ids of those that the account
    is a member of, and that it organizes. private: the state of what producers that are not public have stored.
    """

    account: int = 0
    is_staff: bool = False
    teams: tuple[int, ...] = ()
    challenges: tuple[int, ...] = ()
    private: tuple[object, ...] = ()


AS_VISITOR = ReaderState()


def read_reader_state(reader: User, article_id: int) -> ReaderState:
    """The state of the reader of an article: no query for visitors, 1 for accounts.

    The roles are those that evaluation/visibility.py and servers/review/visible_servers.py ask for. What an account has
    by itself is no part of the records: curations are added to them, and data sets annotate for no queue.
    """
    if not reader.is_authenticated:
        return AS_VISITOR
    with connection.cursor() as cursor:
        cursor.execute(READER_STATE, {"user": reader.pk, "article": article_id})
        teams, challenges, *private = cursor.fetchone()
    if not (teams or challenges or is_staff(reader)):
        return AS_VISITOR
    return ReaderState(reader.pk, is_staff(reader), tuple(teams), tuple(challenges), tuple(private))
