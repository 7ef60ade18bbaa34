"""Mail to teams about their servers: what happened, why, and what to do; one mail for all that is due.

A team's mail is written into the outbox in the commit that marks its notices as told: a worker that dies before has
told nothing, and one that runs again finds nothing to tell.
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

from bcms.lib.foreign import bounded
from servers.lease import locked
from servers.masking import masked
from servers.models import Call, Notice, Server, Team
from servers.naming import is_blind, name_of
from servers.telling.messages import ended_calls, link_to_attempt, site_link
from servers.telling.readers import Reader, readers_of, stop_token
from servers.telling.wording import ADVICE, headline, queue_called, sentence, subject
from servers.topics import Happening

TELL = "servers.tasks.tell"
MOST_EXAMPLES = 5
LONGEST_REASON = 400
ONE_CLICK = {"List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}


@dataclass(frozen=True, slots=True)
class Example:
    article: str
    reason: str
    link: str


@dataclass(frozen=True, slots=True)
class Told:
    """All that happened of one sort, in one queue if it is about one."""

    happening: Happening
    number: int
    sentence: str
    advice: str
    examples: list[Example]

    @property
    def more(self) -> int:
        """How many there are beside the examples."""
        return self.number - len(self.examples) if self.examples else 0


@dataclass(frozen=True, slots=True)
class Section:
    """What one mail says of one server; since and until are when the first and the last of it happened."""

    server: Server
    since: datetime
    until: datetime
    told: list[Told]
    page: str
    choices: str
    stop: str = ""

    @property
    def headline(self) -> str:
        numbers: Counter[Happening] = Counter()
        for each in self.told:
            numbers[each.happening] += each.number
        return ", ".join(headline(happening, number) for happening, number in numbers.items())


def due_teams() -> set[tuple[int, str]]:
    """Teams with a mail to be written, by the rhythm of the servers concerned: 1 query."""
    notices = Notice.objects.filter(told__isnull=True, due__lte=Now())
    return set(notices.values_list("server__team", "server__mail_rhythm"))


@transaction.atomic
def tell(team_id: int, rhythm: str) -> int:
    """Write the mail that is due about the team's servers of this rhythm, with all else that waits; how many mails."""
    waiting = Notice.objects.filter(told__isnull=True)
    concerned = Server.objects.filter(team=team_id, mail_rhythm=rhythm)
    # Nothing happens to a server whose row is held.
    held = locked(concerned.filter(pk__in=waiting.values("server")), "pk")
    notices = waiting.filter(server__in=list(held))
    if not notices.filter(due__lte=Now()).exists():
        return 0
    team = Team.objects.get(pk=team_id)
    sections = sections_of(notices)
    readers = readers_of(team, [section.server for section in sections])
    written = sum(write_to(reader, sections) for reader in readers)
    notices.update(told=Now())
    return written


def write_to(reader: Reader, sections: Sequence[Section]) -> bool:
    wanted = [for_reader(section, reader) for section in sections if section.server.pk in reader.wants]
    if not wanted or not reader.address:
        return False
    body = render_to_string("servers/email/notices.txt", {"sections": wanted, "reader": reader})
    about = subject([(each.server.name, each.headline) for each in wanted])
    EmailMessage(about, body, None, [reader.address], headers=ways_out(reader, wanted)).send()
    return True


def for_reader(section: Section, reader: Reader) -> Section:
    """The section with the link by which this reader gets no more of it."""
    return replace(section, stop=stop_link(reader, section))


def stop_link(reader: Reader, *sections: Section) -> str:
    return site_link("mail-stop", stop_token(reader.member.user_id, *(each.server.pk for each in sections)))


def ways_out(reader: Reader, sections: Sequence[Section]) -> dict[str, str]:
    """By what a mail program offers the end of such mail: a page (RFC 2369), and one click that needs no visit, which
    is for https alone (RFC 8058)."""
    named = {"List-Unsubscribe": f"<{stop_link(reader, *sections)}>"}
    return named | (ONE_CLICK if settings.SITE_URL.startswith("https://") else {})


def sections_of(notices: QuerySet[Notice]) -> list[Section]:
    servers = Server.objects.filter(pk__in=notices.values("server")).order_by("name", "pk")
    return [section_of(server, notices.filter(server=server)) for server in servers]


def section_of(server: Server, notices: QuerySet[Notice]) -> Section:
    """About one server, the gravest first."""
    span = notices.aggregate(since=Min("at"), until=Max("at"))
    groups = [
        (Happening(happening), queue, number)
        for happening, queue, number in notices.values_list("happening", "queue").annotate(Count("pk"))
    ]
    groups.sort(key=lambda group: (list(Happening).index(group[0]), group[1] or 0))
    told = [
        told_of(happening, number, notices.filter(happening=happening, queue=queue))
        for happening, queue, number in groups
    ]
    page, choices = site_link("server", server.slug), site_link("server-notifications", server.slug)
    return Section(server, span["since"], span["until"], told, page, choices)


def told_of(happening: Happening, number: int, notices: QuerySet[Notice]) -> Told:
    related = ("queue", "call__article", "call__queue", "call__server")
    latest = list(notices.select_related(*related).order_by("-pk")[:MOST_EXAMPLES])
    queue, reason = latest[0].queue, fit(latest[0].reason)
    called = queue_called(queue.mode, queue.name) if queue else "queue"
    ended = ended_calls(queue) if queue and happening == Happening.QUEUE_DONE else {}
    examples = [example_of(notice.call, notice.reason) for notice in latest if notice.call is not None]
    return Told(happening, number, sentence(happening, number, called, reason, ended), ADVICE[happening], examples)


def example_of(call: Call, reason: str) -> Example:
    name = name_of(call.article, blind=is_blind(call))
    return Example(f"PMID {name}" if name.isdigit() else name, fit(reason), link_to_attempt(call))


def fit(reason: str) -> str:
    return bounded(masked(reason), LONGEST_REASON)
