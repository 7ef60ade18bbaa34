"""The finished curations that count in the results of a project: those of its curators, and of authors."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotations.curation.models import Curation, PublishedAbstract
from annotations.curation.projects.finished_curations import list_articles_in_own_work
from annotations.curation.projects.models import CurationProject, ProjectHelp
from annotations.curation.states import CurationArm, CurationState, DecisionAction
from annotations.results.models import Producer
from servers.teams.permissions import User

COUNTED_ACTIONS = tuple(action for action in DecisionAction if action is not DecisionAction.UNDO)


class CurationRole(StrEnum):
    """Who curated, and on what; the values are public."""

    AUTHOR = "author"
    CURATOR = "curator"
    CURATOR_ON_AUTHOR = "curator on author"


@dataclass(frozen=True, slots=True)
class CountedCuration:
    """A finished curation. article_name: PMID or opaque id; name: of the person; producer: whose Results it has.

    arm: in an experiment as drawn, in another project what all its curators have, "" for authors. decisions: how many
    of each of COUNTED_ACTIONS were not taken back; undone: how many were.
    """

    id: int
    article: int
    article_name: str
    curator: int
    name: str
    producer: int
    role: CurationRole
    arm: str
    seconds: float
    finished: datetime
    decisions: tuple[int, ...]
    undone: int

    @property
    def group(self) -> str:
        """Those whose figures are added up, as a name for readers."""
        match self.role:
            case CurationRole.AUTHOR:
                return "authors"
            case CurationRole.CURATOR_ON_AUTHOR:
                return "curators on authors' records"
        return f"curators {self.arm} help"

    @property
    def decision_count(self) -> int:
        return sum(self.decisions)


def load_counted_curations(project: CurationProject, reader: User, *, own: bool = False) -> list[CountedCuration]:
    """By article and person: 1 query.

    Articles that the reader still curates in the project are left out. own: only the reader's curations.
    """
    counts = {f"n_{action}": _count_decisions(action=action, undone=False) for action in COUNTED_ACTIONS}
    rows = _filter_counted(project, reader, own=own).annotate(**counts, n_undone=_count_decisions(undone=True))
    fields = ("pk", "article", "article__pmid", "article__opaque", "curator", "curator__user__username")
    more = ("curator__producer__name", "curator__producer", "curator__producer__sort", "basis__curator__producer__sort")
    last = ("arm", "seconds", "finished", *counts, "n_undone")
    ordered = rows.order_by("article__pmid", "article__opaque", "pk")
    return [_build_counted_curation(project, *row) for row in ordered.values_list(*fields, *more, *last)]


def _count_decisions(**conditions: object) -> Count:
    chosen = Q(**{f"decisions__{name}": value for name, value in conditions.items()})
    return Count("decisions", filter=chosen, distinct=True)


def _filter_counted(project: CurationProject, reader: User, *, own: bool) -> QuerySet[Curation]:
    finished = Curation.objects.filter(state=CurationState.FINISHED, article__corpora=project.corpus_id)
    if own:
        return finished.filter(curator__project=project, curator__user=reader.pk)
    in_work = list_articles_in_own_work(project, reader.pk or 0).values("article")
    counted = Q(curator__project=project) | _make_filter_of_authors(project)
    return finished.filter(counted).exclude(article__in=in_work)


def _make_filter_of_authors(project: CurationProject) -> Q:
    """Records by authors that everybody sees, or that a curator of the project has continued."""
    continued = Curation.objects.filter(basis=OuterRef("pk"), curator__project=project)
    named = {"article": OuterRef("article"), "contributions__curator": OuterRef("curator")}
    published = PublishedAbstract.objects.filter(**named, withdrawn__isnull=True)
    return Q(curator__producer__sort=Producer.Type.AUTHOR) & (Exists(continued) | Exists(published))


def _build_counted_curation(
    project: CurationProject,
    pk: int,
    article: int,
    pmid: int | None,
    opaque: str,
    curator: int,
    user_name: str | None,
    producer_name: str,
    producer: int,
    producer_type: str,
    basis_type: str | None,
    arm: str,
    seconds: float,
    finished: datetime,
    *counts: int,
) -> CountedCuration:
    role = find_role(producer_type, basis_type)
    return CountedCuration(
        pk,
        article,
        opaque if pmid is None else str(pmid),
        curator,
        user_name or producer_name,
        producer,
        role,
        "" if role is CurationRole.AUTHOR else arm or _find_arm_of_project(project),
        seconds,
        finished,
        counts[:-1],
        counts[-1],
    )


def find_role(producer_type: str, basis_type: str | None) -> CurationRole:
    """The role by the type of the producer, and of that of the curation that it continues, None without one."""
    if producer_type == Producer.Type.AUTHOR:
        return CurationRole.AUTHOR
    return CurationRole.CURATOR_ON_AUTHOR if basis_type == Producer.Type.AUTHOR else CurationRole.CURATOR


def _find_arm_of_project(project: CurationProject) -> str:
    return CurationArm.WITH_HELP if project.help == ProjectHelp.SYSTEMS else CurationArm.WITHOUT_HELP
