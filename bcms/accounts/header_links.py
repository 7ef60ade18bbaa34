"""The links of the header that depend on the reader: their teams, and curation for those who have something there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User as Account
from django.contrib.postgres.aggregates import ArrayAgg
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import JSONObject
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from annotations.curation.models import Curator
from annotations.curation.projects.models import CurationProject
from servers.inbox.entry_groups import count_groups
from servers.inbox.models import InboxEntry
from servers.teams.permissions import User

# Pages show "99+" above 99.
MOST_UNREAD = 500


@dataclass(frozen=True, slots=True)
class HeaderLinks:
    """teams: those of the reader as {"slug", "name"}, by name. curates: whether they have curations or projects.

    unread: the number of notifications that the reader has not read, of equal ones as one like on their page; of the
    newest MOST_UNREAD.
    """

    teams: Sequence[Mapping[str, str]] = ()
    curates: bool = False
    unread: int = 0


def add_header_links(request: HttpRequest) -> dict[str, object]:
    """Context of every page; nothing is loaded unless the page has a header."""
    return {"header": SimpleLazyObject(lambda: load_header_links(request.user))}


def load_header_links(reader: User) -> HeaderLinks:
    """1 query, none for visitors."""
    if not reader.is_authenticated:
        return HeaderLinks()
    team = JSONObject(slug="teams__slug", name="teams__name")
    accounts = Account.objects.filter(pk=reader.pk).annotate(
        own_teams=ArrayAgg(team, filter=Q(teams__isnull=False), default=[]),
        curates=Exists(_list_own_curators()) | Exists(_list_own_projects()),
        unread=_collect_unread_entries(),
    )
    row = accounts.values_list("own_teams", "curates", "unread").first()
    # None if the account was deleted meanwhile.
    teams, curates, unread = row or ((), False, ())
    count = count_groups((each["path"], each["text"]) for each in unread)
    return HeaderLinks(sorted(teams, key=lambda each: str(each["name"])), curates, count)


def _collect_unread_entries() -> ArraySubquery:
    entries = InboxEntry.objects.filter(user=OuterRef("pk"), read__isnull=True).order_by("-pk")
    return ArraySubquery(entries.values_list(JSONObject(path="path", text="text"))[:MOST_UNREAD])


def _list_own_curators() -> QuerySet[Curator]:
    """The reader as a curator, alone with a curation or in a project."""
    own = Curator.objects.filter(user=OuterRef("pk"))
    return own.filter(Q(project__isnull=False, released__isnull=True) | Q(curations__isnull=False))


def _list_own_projects() -> QuerySet[CurationProject]:
    return CurationProject.objects.filter(Q(owner=OuterRef("pk")) | Q(adjudicators=OuterRef("pk")))
