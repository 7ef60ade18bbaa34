"""Context of the manual's page about challenges: the access table, and limits of announcements and posts."""

from bcms.manual.access_summary import list_access_groups_by_audience
from evaluation.challenges.announcements.publishing import DAILY_ANNOUNCEMENTS
from evaluation.challenges.discussion.posts import HOURLY_POSTS


def build_access_and_talk_limits_context() -> dict[str, object]:
    return {
        "access_groups": list_access_groups_by_audience(),
        "daily_announcements": DAILY_ANNOUNCEMENTS,
        "hourly_posts": HOURLY_POSTS,
    }
