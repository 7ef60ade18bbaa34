"""What must not happen a second time after a backup was restored: mail, and in a copy of a site, calls and messages.

The tables may be those of an earlier version, so this names columns that all versions have, or asks for them.
"""

from django.conf import settings
from django.db import connection

from bcms.backup.errors import BackupError
from bcms.mail.mail_url import FOLDER

# A worker may have sent it after the backup was made.
HOLD_MAIL = "UPDATE bcms_mail SET failed = now(), error = %s WHERE failed IS NULL"
HELD = "It waited when the backup was made, and may have been sent since."
# {(table, column): statement} for what workers write mail about; it may have been written after the backup was made.
FORGET_NEWS = {
    ("evaluation_announcement", "mailed"): "UPDATE evaluation_announcement SET mailed = now() WHERE mailed IS NULL",
    ("evaluation_phaseevent", "to_mail"): "UPDATE evaluation_phaseevent SET to_mail = false WHERE to_mail",
    ("evaluation_challengefollower", "digested"): "UPDATE evaluation_challengefollower SET digested = now()",
}
COLUMN_EXISTS = """
SELECT FROM information_schema.columns WHERE table_schema = current_schema() AND (table_name, column_name) = (%s, %s)
"""
STOP_SERVERS = """
UPDATE servers_server SET state = 'offline', state_reason = %s, state_since = now(), version = version + 1
WHERE state <> 'offline'
"""
SWITCH_OFF_WEBHOOKS = "UPDATE servers_webhook SET active = false, reason = %s WHERE active"
IN_COPY = "This is a copy of the site, for testing."


def check_copy_sends_no_mail() -> None:
    """BackupError unless mail is written into a folder."""
    if settings.MAIL_DELIVERY.backend != FOLDER:
        raise BackupError(
            "A copy must not send mail to people: set EMAIL_URL=file:///FOLDER here and for all processes of the copy."
        )


def hold_waiting_mail() -> int:
    """Mark waiting mail as failed; returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(HOLD_MAIL, [HELD])
        return int(cursor.rowcount)


def forget_news_to_mail() -> None:
    """Write no mail about what happened in challenges before the backup was made."""
    with connection.cursor() as cursor:
        for column, statement in FORGET_NEWS.items():
            cursor.execute(COLUMN_EXISTS, column)
            if cursor.rowcount:
                cursor.execute(statement)


def stop_servers_and_webhooks() -> None:
    """Nothing is sent to a server or a webhook until somebody switches it on again."""
    with connection.cursor() as cursor:
        cursor.execute(STOP_SERVERS, [IN_COPY])
        cursor.execute(SWITCH_OFF_WEBHOOKS, [IN_COPY])
