"""Context of the manual's page about challenges: the access table, and limits of pictures, announcements and posts."""

from bcms.lib.pictures.page_picture import LARGEST_WIDTH, MOST_PIXELS
from bcms.manual.access_summary import list_access_groups_by_audience
from evaluation.challenges.announcements.publishing import DAILY_ANNOUNCEMENTS
from evaluation.challenges.discussion.posts import HOURLY_POSTS
from evaluation.challenges.pictures import storage
from evaluation.challenges.pictures.forms import MOST_SECONDS


def build_access_table_and_limits_context() -> dict[str, object]:
    return {
        "access_groups": list_access_groups_by_audience(),
        "daily_announcements": DAILY_ANNOUNCEMENTS,
        "hourly_posts": HOURLY_POSTS,
        "largest_picture": storage.MOST_FILE_BYTES // storage.MEBIBYTE,
        "pictures_at_a_time": storage.MOST_FILES,
        "seconds_of_pictures": MOST_SECONDS,
        "pictures_of_challenge": storage.MOST_PICTURES,
        "megabytes_of_challenge": storage.MOST_STORED_BYTES // storage.MEBIBYTE,
        "million_pixels": MOST_PIXELS // 1_000_000,
        "widest_picture": f"{LARGEST_WIDTH:,}",
    }
