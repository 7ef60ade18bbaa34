"""When mail about an event is due: after a minute at the earliest, and at most hourly about the same trouble."""

from datetime import datetime, timedelta

from servers.notifications.events import EventType, MailFrequency

# Events that can repeat until somebody solves the problem: at most one mail per QUIET period.
REPEATING = frozenset({EventType.ARTICLE_FAILED, EventType.SERVER_UNREACHED})
# Mail is delayed by this time to collect further events, so that twenty failures make one mail.
GATHER = timedelta(minutes=1)
# The minimum time between two mails about the same repeating event.
QUIET = timedelta(hours=1)
# The hour (UTC) at which daily mail is written.
DAILY_HOUR = 6


def compute_mail_due_time(
    rhythm: MailFrequency, now: datetime, last_mail_of_repeated_event: datetime | None = None
) -> datetime:
    """When the mail about an event of now is due.

    last_mail_of_repeated_event is the time of the last mail about the same repeating event, None if there was none or
    it does not repeat.
    """
    if rhythm == MailFrequency.DAILY:
        today = now.replace(hour=DAILY_HOUR, minute=0, second=0, microsecond=0)
        return today if now < today else today + timedelta(days=1)
    earliest = now + GATHER
    return max(earliest, last_mail_of_repeated_event + QUIET) if last_mail_of_repeated_event else earliest
