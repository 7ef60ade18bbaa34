"""Mail the weekly report of a team to each member who chose it, on Mondays."""

from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string

from bcms.weekly_report.content import build_team_report
from bcms.weekly_report.links import make_report_token
from evaluation.challenges.announcements.recipients import map_accounts_to_addresses
from evaluation.challenges.followers.mail_rounds import count_written_mails
from servers.notifications.mail.mails import ONE_CLICK
from servers.notifications.site_links import build_site_url
from servers.teams.models import Membership, Team
from servers.teams.permissions import User

HOUR = 6
MOST_REPORTS = 200
# A report that could not be written is tried again after that time, so that those after it come first.
PUT_OFF_FOR = timedelta(hours=1)


def compute_next_report_time(now: datetime) -> datetime:
    """The next Monday, at HOUR:00 UTC."""
    monday = (now - timedelta(days=now.weekday())).replace(hour=HOUR, minute=0, second=0, microsecond=0)
    return monday if monday > now else monday + timedelta(days=7)


def choose_report(team: Team, user: User, now: datetime, *, wanted: bool) -> None:
    """Begin or end the reports for a member."""
    due = compute_next_report_time(now) if wanted else None
    Membership.objects.filter(team=team, user=user.pk).update(report_due=due)


def mail_due_reports(now: datetime) -> int:
    """Write the reports that are due, at most MOST_REPORTS. Returns the number of mails."""
    members = list(_list_due_members(now)[:MOST_REPORTS])
    addresses = map_accounts_to_addresses(Q(pk__in=[member.user_id for member in members]))
    return count_written_mails(
        partial(_mail_report_or_put_off, each, addresses.get(each.user_id, ""), now) for each in members
    )


def _list_due_members(now: datetime) -> QuerySet[Membership]:
    due = Membership.objects.filter(report_due__lte=now, user__is_active=True)
    return due.select_related("team", "user").order_by("report_due", "pk")


def _mail_report_or_put_off(member: Membership, address: str, now: datetime) -> int:
    try:
        return _mail_report(member, address, now)
    except Exception:
        unwritten = Membership.objects.filter(pk=member.pk, report_due=member.report_due)
        unwritten.update(report_due=now + PUT_OFF_FOR)
        raise


@transaction.atomic
def _mail_report(member: Membership, address: str, now: datetime) -> int:
    """0 if it is not due any more, if no address is confirmed, and if there is nothing to say."""
    due = Membership.objects.filter(pk=member.pk, report_due=member.report_due)
    if not due.update(report_due=compute_next_report_time(now)) or not address:
        return 0
    report = build_team_report(member.team, member.user, now)
    if report.is_empty:
        return 0
    stop = build_site_url("weekly-report-unsubscribe", make_report_token(member.team_id, member.user_id))
    context = {"report": report, "team": member.team, "member": member, "stop": stop}
    body = render_to_string("weekly_report/mail.txt", context)
    subject = " ".join(f"[BCMS] {member.team}: weekly report".split())
    headers = {"List-Unsubscribe": f"<{stop}>"} | (ONE_CLICK if settings.SITE_URL.startswith("https://") else {})
    return EmailMessage(subject, body, None, [address], headers=headers).send()
