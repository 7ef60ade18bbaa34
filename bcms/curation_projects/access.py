"""Who sees a curation project, and who may do what in it. Pages and API ask here.

| | its curators | adjudicators | its owner | organizers of its challenge | staff |
|---|---|---|---|---|---|
| guideline, own assignments, leave | yes | yes | yes | yes | yes |
| time, decisions and answers of own curations | yes | yes | yes | yes | no |
| how many articles each curator has finished | no | yes | yes | yes | yes |
| agreement, results, what was decided | no | yes | yes | yes | no |
| decide on the outcome | no | yes | yes | no | no |
| hand over own articles outside of experiments | yes | no | yes | no | yes |
| hand over anybody's articles, in experiments too | no | no | yes | no | yes |
| add and remove curators, assign, close | no | no | yes | no | yes |
| make the outcome a gold standard | no | no | yes, of own challenges | no | yes |

Once the outcome is the sealed gold standard of a test, adjudicators and an owner who do not organize its challenge see
nothing that was decided until it is published. Staff see decisions as anybody does: as an adjudicator, which the audit
trail records, or as an organizer. Of an article that they still curate themselves, nobody sees what others
decided. A blind corpus belongs to a challenge: its owner has to organize it.
"""

from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotations.curation.models import Curation, Curator
from annotations.curation.projects.experiments import is_experiment
from annotations.curation.projects.models import CurationProject
from annotations.curation.states import CurationState
from evaluation.curation.eligibility import competes_on_blind_corpus, list_curations_of_user
from evaluation.curation.sealing import is_sealed, organizes_challenge_of_project
from evaluation.gold.models import GoldStandard
from evaluation.visibility import is_staff, list_visible_corpora
from servers.teams.permissions import User

REFUSED_IN_EXPERIMENT = (
    "In an experiment only the owner of the project hands articles over, because chance decides who gets help with "
    "which."
)


@dataclass(frozen=True, slots=True)
class ProjectRights:
    """What one user may do in a project. curator: as whom they curate in it, None if they do not.

    sealed: the outcome is the gold standard of a test that is not published.
    """

    manage: bool
    read: bool
    decide: bool
    sealed: bool
    curator: Curator | None


def list_visible_projects(user: User) -> QuerySet[CurationProject]:
    """The projects that the user takes part in, and those of challenges that they organize; all for staff."""
    if not user.is_authenticated:
        return CurationProject.objects.none()
    if is_staff(user):
        return CurationProject.objects.all()
    golds = list(GoldStandard.objects.filter(phase__challenge__organizers=user.pk).values_list("pk", flat=True))
    active = Curator.objects.filter(user=user.pk, released__isnull=True, project__isnull=False)
    visible = Q(pk__in=active.values("project")) | Q(golds__overlap=golds)
    visible |= Q(adjudicators=user.pk) | Q(owner=user.pk)
    visible |= Q(corpus__blind=True, corpus__owner__challenge__organizers=user.pk)
    return CurationProject.objects.filter(pk__in=CurationProject.objects.filter(visible).values("pk"))


def get_visible_project_or_404(user: User, project_id: int) -> CurationProject:
    visible = list_visible_projects(user).select_related("owner", "corpus", "outcome__producer")
    return get_object_or_404(visible, pk=project_id)


def load_project_rights(user: User, project: CurationProject) -> ProjectRights:
    """At most 6 queries. Adjudicators who have joined a team that competes on the blind articles read nothing."""
    staff, sealed = is_staff(user), is_sealed(project)
    organizes = organizes_challenge_of_project(user, project)
    owns = user.pk == project.owner_id and list_visible_corpora(user).filter(pk=project.corpus_id).exists()
    appointed = not owns and project.adjudicators.filter(pk=user.pk).exists()
    adjudicates = owns or (appointed and not competes_on_blind_corpus(user, project.corpus))
    read = organizes or (adjudicates and not sealed)
    curator = Curator.objects.filter(project=project, user=user.pk, released__isnull=True).first()
    return ProjectRights(owns or staff, read, read and adjudicates, sealed, curator)


def check_may_manage(rights: ProjectRights) -> None:
    """PermissionDenied unless the user is the owner or staff."""
    if not rights.manage:
        raise PermissionDenied("Only the owner of the project and administrators can do this.")


def check_may_curate(rights: ProjectRights) -> None:
    """PermissionDenied unless the user is an active curator of the project."""
    if rights.curator is None:
        raise PermissionDenied("You are no curator of this project.")


def check_may_read(rights: ProjectRights) -> None:
    """PermissionDenied unless the user may see what was decided."""
    if not rights.read:
        raise PermissionDenied(
            "The outcome is the gold standard of a test: only the organizers see the decisions until it is published."
            if rights.sealed
            else "Only the owner of the project, its adjudicators and organizers see what was decided."
        )


def check_may_read_results(rights: ProjectRights) -> None:
    """PermissionDenied unless the user may see what was decided, or is a curator, who sees their own part."""
    if rights.curator is None:
        check_may_read(rights)


def check_may_decide(rights: ProjectRights) -> None:
    """PermissionDenied unless the user decides on the outcome."""
    check_may_read(rights)
    if not rights.decide:
        raise PermissionDenied("Only the owner of the project and its adjudicators decide on the outcome.")


def get_curation_to_hand_over_or_404(user: User, curation_id: int) -> Curation:
    """An unfinished curation in a project: the user may open it as its curator, or manages the project.

    PermissionDenied for the curator in an experiment, who would choose which articles to curate with help.
    """
    rows = Curation.objects.select_related("curator__project__corpus", "curator__user", "article")
    unfinished = rows.filter(pk=curation_id, curator__project__isnull=False).exclude(state=CurationState.FINISHED)
    curation = unfinished.first()
    if curation is None or curation.curator.project is None:
        raise Http404
    own = list_curations_of_user(user).filter(pk=curation.pk).exists()
    measured = is_experiment(curation.curator.project)
    if own and not measured:
        return curation
    if load_project_rights(user, curation.curator.project).manage:
        return curation
    if own:
        raise PermissionDenied(REFUSED_IN_EXPERIMENT)
    raise Http404
