"""Mail to authors: the invitation, and reminders. Each has a new link, as links are stored as digests only."""

from contextlib import suppress
from datetime import datetime

from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string

from annotations.curation.manuscripts.errors import ManuscriptError
from annotations.curation.manuscripts.links import create_link
from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.manuscripts.progress import claim_reminder, list_manuscripts_due_for_reminder
from annotations.curation.manuscripts.states import LinkRole
from servers.notifications.site_links import build_site_url


def mail_link_to_author(manuscript: Manuscript, token: str, *, is_reminder: bool) -> None:
    """Send the author the link. The title is in it, as in any mail of the journal; nothing else of the text is."""
    context = {
        "manuscript": manuscript,
        "title": manuscript.article.title,
        "journal": manuscript.journal.get_username(),
        "link": build_site_url("manuscript-link", token),
        "is_reminder": is_reminder,
    }
    body = render_to_string("manuscripts/email/invitation.txt", context)
    about = f" {manuscript.reference}" if manuscript.reference else ""
    opening = "Reminder: please check" if is_reminder else "Please check"
    send_mail(f"[BCMS] {opening} the digital abstract of your manuscript{about}", body, None, [manuscript.author_mail])


def remind_author(manuscript: Manuscript, now: datetime) -> None:
    """Send the author a mail with a new link; ManuscriptError for the reasons of claim_reminder."""
    with transaction.atomic():
        claim_reminder(manuscript, now)
        mail_link_to_author(manuscript, create_link(manuscript, LinkRole.AUTHOR, now), is_reminder=True)


def remind_authors_of_due_manuscripts(now: datetime) -> int:
    """Remind the authors of list_manuscripts_due_for_reminder, each in a transaction of its own; returns how many."""
    due = list(list_manuscripts_due_for_reminder(now))
    for manuscript in due:
        # The journal may have reminded the author, or closed the manuscript, since they were listed.
        with suppress(ManuscriptError):
            remind_author(manuscript, now)
    return len(due)
