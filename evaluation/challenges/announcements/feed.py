"""The announcements of a challenge as an Atom feed, for programs that read news."""

from django.db.models import QuerySet
from django.utils.feedgenerator import Atom1Feed

from bcms.lib.writing.markdown import render_markdown
from bcms.lib.xml_text import replace_characters_not_in_xml
from evaluation.challenges.announcements.models import Announcement
from evaluation.challenges.models import Challenge
from servers.notifications.site_links import build_site_url

NEWEST_IN_FEED = 50
ATOM_TYPE = "application/atom+xml; charset=utf-8"


def list_announcements_of_challenge(challenge: Challenge) -> QuerySet[Announcement]:
    """Newest first, with their authors."""
    return challenge.announcements.select_related("author").order_by("-at", "-pk")


def format_announcement_feed(challenge: Challenge) -> str:
    """The newest announcements as Atom, in 1 query."""
    page = build_site_url("challenge-announcements", challenge.slug)
    feed = Atom1Feed(
        title=replace_characters_not_in_xml(f"{challenge}: announcements"),
        link=page,
        description="",
        language="en",
        # Atom wants an author of every entry, or of the feed.
        author_name=replace_characters_not_in_xml(f"Organizers of {challenge}"),
        feed_url=build_site_url("challenge-announcements-feed", challenge.slug),
    )
    for announcement in list_announcements_of_challenge(challenge)[:NEWEST_IN_FEED]:
        address = f"{page}#announcement-{announcement.pk}"
        feed.add_item(
            title=replace_characters_not_in_xml(announcement.title),
            link=address,
            unique_id=address,
            description=replace_characters_not_in_xml(render_markdown(announcement.text)),
            pubdate=announcement.at,
            updateddate=announcement.at,
        )
    return feed.writeString("utf-8")
