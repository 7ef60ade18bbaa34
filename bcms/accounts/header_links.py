"""The links of the header that depend on the reader: their teams, and curation for those who have something there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import connection
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from servers.inbox.entry_groups import count_groups
from servers.teams.permissions import User

# Pages show "99+" above 99.
MOST_UNREAD = 500
# Every page asks this, and Django would build the statement for longer than PostgreSQL needs to answer it.
LINKS_OF_READER = """
    SELECT
        (SELECT coalesce(json_agg(json_build_object('slug', team.slug, 'name', team.name)), '[]')
            FROM servers_team AS team JOIN servers_membership AS membership ON membership.team_id = team.id
            WHERE membership.user_id = %(reader)s),
        EXISTS (SELECT FROM annotations_curator AS curator WHERE curator.user_id = %(reader)s AND (
            (curator.project_id IS NOT NULL AND curator.released IS NULL)
            OR EXISTS (SELECT FROM annotations_curation AS curation WHERE curation.curator_id = curator.id)))
        OR EXISTS (SELECT FROM annotations_curationproject WHERE owner_id = %(reader)s)
        OR EXISTS (SELECT FROM annotations_curationproject_adjudicators WHERE user_id = %(reader)s),
        (SELECT coalesce(json_agg(json_build_array(path, text) ORDER BY id DESC), '[]') FROM (
            SELECT id, path, text FROM servers_inboxentry
            WHERE user_id = %(reader)s AND read IS NULL ORDER BY id DESC LIMIT %(most)s) AS unread)
"""


@dataclass(frozen=True, slots=True)
class HeaderLinks:
    """teams: those of the reader as {"slug", "name"}, by name. curates: whether they have curations, or curate,
    adjudicate or own a project.

    unread: the number of notifications that the reader has not read, of equal ones as one like on their page; of the
    newest MOST_UNREAD.
    """

    teams: Sequence[Mapping[str, str]] = ()
    curates: bool = False
    unread: int = 0


def add_header_links(request: HttpRequest) -> dict[str, object]:
    """Context of every page; nothing is loaded unless the page has a header."""
    return {"header": SimpleLazyObject(lambda: load_header_links(request.user))}


def load_header_links(reader: User) -> HeaderLinks:
    """1 query, none for visitors."""
    if not reader.is_authenticated:
        return HeaderLinks()
    with connection.cursor() as cursor:
        cursor.execute(LINKS_OF_READER, {"reader": reader.pk, "most": MOST_UNREAD})
        teams, curates, unread = cursor.fetchone()
    count = count_groups((path, text) for path, text in unread)
    return HeaderLinks(sorted(teams, key=lambda each: str(each["name"])), curates, count)
