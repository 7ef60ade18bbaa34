"""Projects whose outcome is the sealed gold standard of a test: who sees what was decided until it is published."""

from django.db.models import Q, QuerySet

from annotations.curation.models import Curation, PublishedAbstract
from annotations.curation.projects.models import CurationProject
from evaluation.challenges.models import Challenge, Phase
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from servers.teams.permissions import User


def list_sealing_golds(project: CurationProject) -> QuerySet[GoldStandard]:
    """The gold standards made of the outcome that belong to a test and are not published."""
    unpublished = Q(published__isnull=True, phase__published__isnull=True)
    return GoldStandard.objects.filter(unpublished, pk__in=project.golds, phase__sort=Phase.Type.TEST)


def is_sealed(project: CurationProject) -> bool:
    """Whether only organizers see the decisions, and each curator their own: 1 query, none without a gold standard."""
    return bool(project.golds) and list_sealing_golds(project).exists()


def list_challenges_of_project(project: CurationProject) -> QuerySet[Challenge]:
    """Those whose organizers see the decisions: the owner of a blind corpus, and those with gold standards of it."""
    own = Q(own_corpora__corpus=project.corpus_id, own_corpora__corpus__blind=True)
    return Challenge.objects.filter(own | Q(phases__golds__in=project.golds)).distinct()


def organizes_challenge_of_project(user: User, project: CurationProject) -> bool:
    return user.is_authenticated and list_challenges_of_project(project).filter(organizers=user.pk).exists()


def find_project_of_curation(curation: Curation) -> CurationProject | None:
    """The project of a curator's curation or of an outcome: 1 query."""
    curator = curation.curator_id
    return CurationProject.objects.filter(Q(curators=curator) | Q(outcome=curator)).first()


def is_record_publishable(curation: Curation) -> bool:
    """False while the record is part of the gold standard of a test that is not published."""
    project = find_project_of_curation(curation)
    return project is None or not is_sealed(project)


def check_record_not_sealed(curation: Curation) -> None:
    """ChallengeError if the record may not be published yet, because it is part of the gold standard of a test."""
    project = find_project_of_curation(curation)
    if project is not None and is_sealed(project):
        raise ChallengeError(
            f"The outcome of {project} is the gold standard of a test. Publish the record after the test is published."
        )


def list_published_curations(project: CurationProject) -> QuerySet[PublishedAbstract]:
    """The digital abstracts of the project that everybody sees now."""
    own = Q(curation__curator__project=project) | Q(curation__curator=project.outcome_id)
    return PublishedAbstract.objects.filter(own, withdrawn__isnull=True)
