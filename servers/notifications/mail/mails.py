"""Mail to teams about their servers: what happened, why, and what to do. One mail covers everything that is due.

A team's mail is written to the outbox in the commit that marks its notices as sent: a worker that dies before has sent
nothing, and one that runs again finds nothing to send.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Count, Max, Min, QuerySet
from django.db.models.functions import Now
from django.template.loader import render_to_string

from bcms.lib.text import clip_text_replacing_unprintable
from servers.calls.article_names import get_pmid_or_opaque_id, is_test_call_or_blind_article
from servers.calls.leases.lease import lock_servers_and_read_field
from servers.calls.models import Call
from servers.calls.secret_masking import mask_secrets
from servers.notifications.events import EventType
from servers.notifications.mail.recipients import MailRecipient, list_active_members_and_wanted_servers
from servers.notifications.mail.unsubscribe_links import make_unsubscribe_token
from servers.notifications.models import Notice
from servers.notifications.site_links import build_site_url
from servers.notifications.webhooks.webhook_messages import count_ended_calls_by_state
from servers.notifications.wording import (
    choose_advice,
    format_event_sentence,
    format_headline,
    format_mail_subject,
    format_queue_name,
)
from servers.registry.models import Server
from servers.teams.models import Team

MAIL_TASK = "servers.tasks.mail_unsent_team_notices_if_due"
MOST_EXAMPLES = 5
LONGEST_REASON = 400
ONE_CLICK = {"List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}


@dataclass(frozen=True, slots=True)
class ArticleExample:
    article: str
    reason: str
    link: str


@dataclass(frozen=True, slots=True)
class EventGroup:
    """The events of one type, and of one queue if they concern a queue. number: how many events."""

    happening: EventType
    number: int
    sentence: str
    advice: str
    examples: list[ArticleExample]

    @property
    def more(self) -> int:
        """The number of events beyond the examples."""
        return self.number - len(self.examples) if self.examples else 0


@dataclass(frozen=True, slots=True)
class MailSection:
    """The part of a mail about one server.

    since and until: times of the first and last event; page, choices and stop: URLs of the server's page, of its
    notification settings, and to unsubscribe.
    """

    server: Server
    since: datetime
    until: datetime
    event_groups: list[EventGroup]
    page: str
    choices: str
    stop: str = ""

    @property
    def headline(self) -> str:
        numbers: Counter[EventType] = Counter()
        for group in self.event_groups:
            numbers[group.happening] += group.number
        return ", ".join(format_headline(event_type, number) for event_type, number in numbers.items())


def list_teams_and_rhythms_with_due_mail() -> set[tuple[int, str]]:
    """The id of each team with due notices, with the mail rhythm of their servers: 1 query."""
    notices = Notice.objects.filter(told__isnull=True, due__lte=Now())
    return set(notices.values_list("server__team", "server__mail_rhythm"))


@transaction.atomic
def mail_unsent_notices_if_any_due(team_id: int, rhythm: str) -> int:
    """Write mail about all unsent notices of the team's servers with this rhythm if any is due; returns the number."""
    unsent = Notice.objects.filter(told__isnull=True)
    servers = Server.objects.filter(team=team_id, mail_rhythm=rhythm)
    # No events are recorded for a server while its row is locked.
    locked = lock_servers_and_read_field(servers.filter(pk__in=unsent.values("server")), "pk")
    notices = unsent.filter(server__in=list(locked))
    if not notices.filter(due__lte=Now()).exists():
        return 0
    team = Team.objects.get(pk=team_id)
    sections = _build_mail_sections(notices)
    recipients = list_active_members_and_wanted_servers(team, [section.server for section in sections])
    number = sum(mail_wanted_sections_to_recipient(recipient, sections) for recipient in recipients)
    notices.update(told=Now())
    return number


def mail_wanted_sections_to_recipient(recipient: MailRecipient, sections: Sequence[MailSection]) -> bool:
    """Write the mail with the sections that the recipient wants; False if there are none or no confirmed address."""
    wanted = [_add_unsubscribe_link(section, recipient) for section in sections if section.server.pk in recipient.wants]
    if not wanted or not recipient.address:
        return False
    body = render_to_string("servers/email/notices.txt", {"sections": wanted, "reader": recipient})
    subject = format_mail_subject([(section.server.name, section.headline) for section in wanted])
    headers = _build_unsubscribe_headers(recipient, wanted)
    EmailMessage(subject, body, None, [recipient.address], headers=headers).send()
    return True


def _add_unsubscribe_link(section: MailSection, recipient: MailRecipient) -> MailSection:
    """The section with the link by which the recipient unsubscribes from mail about its server."""
    return replace(section, stop=_build_unsubscribe_link(recipient, section))


def _build_unsubscribe_link(recipient: MailRecipient, *sections: MailSection) -> str:
    server_ids = [section.server.pk for section in sections]
    return build_site_url("mail-unsubscribe", make_unsubscribe_token(recipient.member.user_id, *server_ids))


def _build_unsubscribe_headers(recipient: MailRecipient, sections: Sequence[MailSection]) -> dict[str, str]:
    """The headers with which a mail program offers to unsubscribe: by page (RFC 2369), or by one click (RFC 8058).

    RFC 8058 requires https.
    """
    headers = {"List-Unsubscribe": f"<{_build_unsubscribe_link(recipient, *sections)}>"}
    return headers | (ONE_CLICK if settings.SITE_URL.startswith("https://") else {})


def _build_mail_sections(notices: QuerySet[Notice]) -> list[MailSection]:
    """One section for each server with notices, sorted by name."""
    servers = Server.objects.filter(pk__in=notices.values("server")).order_by("name", "pk")
    return [_build_mail_section(server, notices.filter(server=server)) for server in servers]


def _build_mail_section(server: Server, notices: QuerySet[Notice]) -> MailSection:
    """The section about one server; the most serious events, which EventType lists first, come first."""
    period = notices.aggregate(since=Min("at"), until=Max("at"))
    counts = [
        (EventType(event_type), queue_id, number)
        for event_type, queue_id, number in notices.values_list("happening", "queue").annotate(Count("pk"))
    ]
    counts.sort(key=lambda count: (list(EventType).index(count[0]), count[1] or 0))
    groups = [
        _build_event_group(event_type, number, notices.filter(happening=event_type, queue=queue_id))
        for event_type, queue_id, number in counts
    ]
    page, choices = build_site_url("server", server.slug), build_site_url("server-notifications", server.slug)
    return MailSection(server, period["since"], period["until"], groups, page, choices)


def _build_event_group(event_type: EventType, number: int, notices: QuerySet[Notice]) -> EventGroup:
    """The group of all these notices, which have one type and one queue, with the latest as examples."""
    related = ("queue", "call__article", "call__queue", "call__server")
    latest = list(notices.select_related(*related).order_by("-pk")[:MOST_EXAMPLES])
    queue, reason = latest[0].queue, _mask_and_shorten(latest[0].reason)
    queue_name = format_queue_name(queue.mode, queue.name) if queue else "queue"
    ended = count_ended_calls_by_state(queue) if queue and event_type == EventType.QUEUE_DONE else {}
    examples = [_build_article_example(notice, notice.call) for notice in latest if notice.call is not None]
    sentence = format_event_sentence(event_type, number, queue_name, reason, ended)
    advice = choose_advice(event_type, queue.mode if queue else "")
    return EventGroup(event_type, number, sentence, advice, examples)


def _build_article_example(notice: Notice, call: Call) -> ArticleExample:
    """The article of the call of a notice, with the attempt after which it happened."""
    name = get_pmid_or_opaque_id(call.article, blind=is_test_call_or_blind_article(call))
    link = build_site_url("server-attempt", call.server.slug, notice.attempt_id) if notice.attempt_id else ""
    return ArticleExample(f"PMID {name}" if name.isdigit() else name, _mask_and_shorten(notice.reason), link)


def _mask_and_shorten(reason: str) -> str:
    return clip_text_replacing_unprintable(mask_secrets(reason), LONGEST_REASON)
