"""What pages show to visitors, beside the article with its annotations and calls, which have states of their own.

Of each of these tables a trigger counts what changes in a column that can be seen. The latest migration of this app
that writes triggers has to agree with this list; a test compares them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection

COUNTING_FUNCTION = "bcms_count_visitor_change"
TRIGGER = "visitor_change"
# Each with the columns that no page shows to visitors, although they change often or are of one person only.
SEEN_TABLES: Mapping[str, frozenset[str]] = {
    "annotations_articlesnapshot": frozenset(),
    "annotations_articletakedown": frozenset(),
    "annotations_contribution": frozenset(),
    "annotations_corpus": frozenset(),
    "annotations_corpusarticle": frozenset(),
    "annotations_curation": frozenset(
        {"revision", "candidates_id", "notes", "changed", "seconds", "pending", "running", "showing"}
    ),
    "annotations_curator": frozenset(),
    "annotations_curatorprofile": frozenset(),
    # Its articles have a new version each time that it is renewed, or raised.
    "annotations_producer": frozenset({"renewed", "raised_to"}),
    "annotations_publishedabstract": frozenset(),
    "auth_user": frozenset({"password", "last_login"}),
    "evaluation_announcement": frozenset({"mailed", "mails"}),
    "evaluation_calibration": frozenset(),
    "evaluation_challenge": frozenset(),
    "evaluation_challengepicture": frozenset({"alternative_text", "file_name", "uploaded"}),
    "evaluation_corpusowner": frozenset(),
    "evaluation_excludedarticle": frozenset(),
    "evaluation_goldstandard": frozenset(),
    "evaluation_phase": frozenset(),
    "evaluation_phase_mean_rank_tasks": frozenset(),
    "evaluation_phaseevent": frozenset({"mailed", "to_mail"}),
    "evaluation_ranking": frozenset(),
    "evaluation_run": frozenset({"errors_mailed"}),
    "evaluation_score": frozenset(),
    "evaluation_task": frozenset(),
    "servers_membership": frozenset({"report_due"}),
    "servers_queue": frozenset({"rest_until", "stopped_on_id", "given_up", "end_is_news"}),
    "servers_server": frozenset(
        {
            *("api_key", "secret_key", "mail_topics", "mail_rhythm", "batch_limit", "batch_answers"),
            "accepts_pasted_texts",
            *("failures_running", "misses", "unreachable_since", "strikes", "struck_since", "probed"),
            *("lease_token", "lease_until", "version"),
        }
    ),
    "servers_serverevent": frozenset(),
    "servers_team": frozenset(),
}
# Of these, which change all the time while runs are scored, no article shows anything.
BOARD_TABLES = frozenset({"evaluation_ranking", "evaluation_score"})
# Of entries, which have triggers of their own, as there are millions.
UNSEEN_ENTRY_COLUMNS = frozenset({"checked", "due", "reported", "listed"})
SUM_OF_CHANGES = "SELECT coalesce(sum(number), 0)::bigint FROM bcms_visitorchange"
UNITE_CHANGES = """
    WITH united AS (DELETE FROM bcms_visitorchange WHERE id <= %s RETURNING number, of_boards)
    INSERT INTO bcms_visitorchange (number, of_boards) SELECT sum(number), of_boards FROM united GROUP BY of_boards
"""
# So many rows are summed up in a tenth of a millisecond.
MOST_ROWS = 500


@dataclass(frozen=True, slots=True)
class VisitorState:
    """What decides what visitors see: two pages of one address are equal if their states are, until the next moment.

    Only the numbers of other articles in the card of a mention may differ, for as long as a page is kept at most.

    changes: the number of changes in SEEN_TABLES, for articles without BOARD_TABLES. article: the id and the state of
    the article that the page is about, () for other pages.
    """

    changes: int
    article: tuple[Any, ...] = ()


def unite_changes() -> int:
    """Make one row of many, or two, so that they are summed up quickly; returns how many there were, 0 for few."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), max(id) FROM bcms_visitorchange")
        number, newest = cursor.fetchone()
        if number <= MOST_ROWS:
            return 0
        cursor.execute(UNITE_CHANGES, [newest])
    return int(number)
