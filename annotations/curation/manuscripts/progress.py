"""What becomes of a manuscript before it is published: refused by its author, taken up again, withdrawn."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.curation.manuscripts.errors import ManuscriptError
from annotations.curation.manuscripts.journals import list_journals
from annotations.curation.manuscripts.models import LONGEST_REASON, Manuscript, ManuscriptLink
from annotations.curation.manuscripts.states import PRIVATE_STATES, ManuscriptState
from annotations.curation.models import Curation
from annotations.curation.states import CurationState
from annotations.schema import EntityId

REMINDER_INTERVAL = timedelta(days=1)
# Without a request of the journal, authors are reminded each week, for as long as a review may take.
AUTOMATIC_REMINDER_INTERVAL, AUTOMATIC_REMINDERS_UNTIL = timedelta(days=7), timedelta(days=28)
LONGEST_COMMENT, MOST_COMMENTS = 5000, 500
# So that who has one link leaves room for the others.
MOST_COMMENTS_BY_LINK = 100


def describe_state(manuscript: Manuscript, curation: Curation) -> str:
    """invited, in work or finished while it is open; else its state."""
    if manuscript.state != ManuscriptState.OPEN:
        return manuscript.state
    return {CurationState.ASSIGNED: "invited", CurationState.OPEN: "in work"}.get(
        CurationState(curation.state), "finished"
    )


def refuse_manuscript(manuscript_id: int, reason: str) -> None:
    """Record that the author takes no part, and why. ManuscriptError without a reason, or if it is not open."""
    if not reason.strip():
        raise ManuscriptError("Write why the author takes no part.", "reason")
    opened = Manuscript.objects.filter(pk=manuscript_id, state=ManuscriptState.OPEN)
    if not opened.update(state=ManuscriptState.REFUSED, reason=reason.strip()[:LONGEST_REASON]):
        raise ManuscriptError("Only an open manuscript can be refused.")


def check_needs_links(manuscript: Manuscript) -> None:
    """ManuscriptError if the manuscript is withdrawn or published."""
    if manuscript.state not in PRIVATE_STATES:
        raise ManuscriptError("The manuscript is withdrawn or published, so it needs no links.")


def reopen_if_refused(manuscript_id: int) -> None:
    """Let the author take part after all, if the author has refused that."""
    refused = Manuscript.objects.filter(pk=manuscript_id, state=ManuscriptState.REFUSED)
    refused.update(state=ManuscriptState.OPEN, reason="")


def withdraw_manuscript(manuscript_id: int, now: datetime) -> None:
    """Close a manuscript that will not be published here; it stays private. ManuscriptError if it is closed already."""
    private = Manuscript.objects.filter(pk=manuscript_id, state__in=PRIVATE_STATES)
    if not private.update(state=ManuscriptState.WITHDRAWN, closed=now):
        raise ManuscriptError("The manuscript is withdrawn or published already.")


def claim_reminder(manuscript: Manuscript, now: datetime) -> None:
    """Record that the author is sent a mail now. ManuscriptError without an address, if it is not open, or within a day
    of the last mail."""
    if not manuscript.author_mail:
        raise ManuscriptError("The manuscript has no address of its author. Send the author a link yourself.")
    due = Manuscript.objects.filter(
        Q(reminded__isnull=True) | Q(reminded__lte=now - REMINDER_INTERVAL),
        pk=manuscript.pk,
        state=ManuscriptState.OPEN,
    )
    if not due.update(reminded=now):
        raise ManuscriptError("The manuscript is not open, or its author was sent a mail within the last 24 hours.")


def list_manuscripts_due_for_reminder(now: datetime) -> QuerySet[Manuscript]:
    """Open manuscripts whose authors got the last mail a week ago and have not finished, in the first four weeks.

    No mail is sent in the name of a journal that has lost its right.
    """
    due = Manuscript.objects.filter(
        state=ManuscriptState.OPEN,
        reminded__lte=now - AUTOMATIC_REMINDER_INTERVAL,
        created__gt=now - AUTOMATIC_REMINDERS_UNTIL,
        journal__in=list_journals().values("pk"),
    )
    unfinished = due.exclude(author_mail="").exclude(curation__state=CurationState.FINISHED)
    return unfinished.select_related("article", "journal").order_by("pk")


def add_comment(link: ManuscriptLink, name: str, text: str, suggested: EntityId | None = None) -> None:
    """Keep a comment on the record, or what it suggests for it; one that is sent twice in a row is kept once.

    ManuscriptError if it is empty or too long, or there are too many, in all or by this link.
    """
    if not (text.strip() or suggested) or len(text) > LONGEST_COMMENT:
        raise ManuscriptError(f"Write a comment of 1 to {LONGEST_COMMENT:,} characters.", "text")
    given = {"name": name.strip()[:100], "text": text.strip()}
    given |= {"database": suggested.database, "identifier": suggested.identifier} if suggested else {}
    with transaction.atomic():
        manuscript = Manuscript.objects.select_for_update(no_key=True).get(pk=link.manuscript_id)
        if _is_last_comment_of_link(link, given):
            return
        if link.comments.count() >= MOST_COMMENTS_BY_LINK:
            most = f"One link can be used for at most {MOST_COMMENTS_BY_LINK} comments."
            raise ManuscriptError(f"{most} Ask the journal for another link.", "text")
        if manuscript.comments.count() >= MOST_COMMENTS:
            raise ManuscriptError(f"A manuscript has at most {MOST_COMMENTS} comments. Write to the journal.", "text")
        manuscript.comments.create(link=link, role=link.role, **given)


def _is_last_comment_of_link(link: ManuscriptLink, given: Mapping[str, str]) -> bool:
    fields = {"name": "", "text": "", "database": "", "identifier": "", **given}
    last = link.comments.order_by("pk").values(*fields).last()
    return bool(last == fields)


def mark_comment(manuscript: Manuscript, comment_id: int, now: datetime, *, is_done: bool) -> bool:
    """Record that the author has dealt with a comment, or not yet; returns whether the manuscript has it."""
    return bool(manuscript.comments.filter(pk=comment_id).update(done=now if is_done else None))
