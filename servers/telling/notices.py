"""Something happened to a server: write down who is to be told, in the very commit in which it happened.

What is undone is never told, and what is told is never lost: mail begins as a Notice (servers/telling/mails.py), a
message of a webhook as a Delivery (servers/telling/webhooks.py). The caller holds the server's row.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from servers.lease import locked
from servers.models import Call, Notice, Queue, Server
from servers.telling import webhooks
from servers.telling.messages import News
from servers.topics import QUIET, REPEATING, TOPIC_OF, Happening, Rhythm, due_at


def note(
    server_id: int, happening: Happening, *, queue: Queue | None = None, call: Call | None = None, reason: str = ""
) -> None:
    """reason is what the server's page says of it, secrets and all: it is masked where it is told."""
    server = Server.objects.only("name", "slug", "state", "mail_topics", "mail_rhythm").get(pk=server_id)
    now = timezone.now()
    if happening == Happening.SERVER_UNREACHED and away_by_plan(server, now):
        return
    if TOPIC_OF[happening] in server.mail_topics:
        due = due_at(Rhythm(server.mail_rhythm), now, last_told(server, happening, now))
        Notice.objects.create(server=server, happening=happening, queue=queue, call=call, reason=reason, due=due)
    webhooks.announce(server, News(happening, now, queue, call, reason))


def away_by_plan(server: Server, now: datetime) -> bool:
    """Whether the team itself said that the server would be away now: it needs no telling."""
    return server.maintenance.filter(starts__lte=now, ends__gt=now).exists()


def last_told(server: Server, happening: Happening, now: datetime) -> datetime | None:
    """When mail told of the same, if that was so short ago that it counts."""
    if happening not in REPEATING:
        return None
    told = Notice.objects.filter(server=server, happening=happening, told__gt=now - QUIET)
    return told.aggregate(latest=Max("told"))["latest"]


@transaction.atomic
def choose(server: Server, topics: Sequence[str], rhythm: Rhythm) -> None:
    """What the team is told by e-mail from now on, and when; what waits to be told follows the new choices."""
    locked(Server.objects.filter(pk=server.pk), "pk")
    Server.objects.filter(pk=server.pk).update(mail_topics=list(topics), mail_rhythm=rhythm)
    wanted = [happening for happening, topic in TOPIC_OF.items() if topic in topics]
    waiting = Notice.objects.filter(server=server, told__isnull=True)
    waiting.exclude(happening__in=wanted).delete()
    waiting.update(due=due_at(rhythm, timezone.now()))
