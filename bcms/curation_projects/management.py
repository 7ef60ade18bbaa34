"""Create projects, and change who curates what in them; every change is in the audit trail."""

import secrets
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser, User
from django.core.exceptions import PermissionDenied
from django.db import transaction

from annotations.articles.models import Article, Corpus
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation, Curator
from annotations.curation.projects import adjudication, assignment, membership
from annotations.curation.projects.adjudication import Choices
from annotations.curation.projects.models import CurationProject, ProjectHelp
from annotations.curation.states import CurationState
from annotations.results.consensus.methods import ConsensusRuleError, make_consensus_rule
from bcms.curation_projects.recipes import build_recipe_values
from evaluation.challenges.models import Phase, Task
from evaluation.challenges.setup.blind_uploads import find_challenge_of_corpus
from evaluation.curation.eligibility import check_not_competing_on_blind_corpus
from evaluation.curation.gold import store_outcome_as_gold
from evaluation.gold.models import GoldStandard
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.notifications.site_links import build_site_url
from servers.teams.people import find_confirmed_address
from servers.teams.person_mail import mail_person

# Each new curator gets mail, so nobody can have mail sent to everybody.
MOST_OPEN_PROJECTS = 20
MOST_CURATORS = 50
LARGEST_SEED = 2**31 - 1


@transaction.atomic
def create_project(
    owner: AbstractBaseUser,
    name: str,
    corpus: Corpus,
    *,
    guideline: str = "",
    help: ProjectHelp = ProjectHelp.SYSTEMS,
    method: str = "",
    threshold: float | None = None,
    arm_seed: int | None = None,
) -> CurationProject:
    """A project of the owner. method, threshold: of the consensus that is proposed; "" for the default of the site.

    arm_seed: of the random assignment of an experiment, None to draw one.

    CurationError for an invalid rule, for an owner without a confirmed address or with too many open projects.
    """
    if find_confirmed_address(owner) is None:
        raise CurationError("Confirm your e-mail address first, on your account page.")
    # One at a time for an account, so that two requests cannot pass the limit together.
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)
    if CurationProject.objects.filter(owner=owner.pk, closed__isnull=True).count() >= MOST_OPEN_PROJECTS:
        raise CurationError(f"You have {MOST_OPEN_PROJECTS} open projects. Close one of them first.")
    if method:
        try:
            make_consensus_rule(method, threshold)
        except ConsensusRuleError as error:
            raise CurationError(str(error), error.parameter) from error
    recipe = build_recipe_values(method, threshold)
    seed = (secrets.randbelow(LARGEST_SEED) if arm_seed is None else arm_seed) if help is ProjectHelp.RANDOM else None
    project = membership.create_curation_project(
        owner.pk, name, corpus, guideline=guideline, help=help, recipe=recipe, arm_seed=seed
    )
    after = {} if seed is None else {"arm_seed": seed}
    record_audit_event(AuditAction.CURATION_PROJECT_CREATED, describe_project(project), after=after)
    return project


def describe_project(project: CurationProject) -> str:
    """The project as the audit trail names it."""
    return f"{project}, curation project {project.pk}"


@transaction.atomic
def add_curator(project: CurationProject, person: AbstractBaseUser) -> Curator:
    """Add a person, or add them again; a new curator gets mail.

    ChallengeError for a person who competes on the articles. CurationError if there are too many, or it is closed.
    """
    check_not_competing(project, person)
    membership.lock_project_unless_closed(project.pk)
    if assignment.list_active_curators(project).count() >= MOST_CURATORS:
        raise CurationError(f"A project has at most {MOST_CURATORS} curators. Remove one, or make a second project.")
    curator, is_new = membership.get_or_readmit_project_curator(project, person.pk, person.get_username())
    record_audit_event(AuditAction.CURATION_CURATOR_ADDED, describe_project(project), person=person)
    if is_new and person.pk != project.owner_id:
        _mail_new_curator(project, person)
    return curator


def check_not_competing(project: CurationProject, person: AbstractBaseUser) -> None:
    """ChallengeError if the corpus is blind and the person is on a team that takes part in its challenge."""
    check_not_competing_on_blind_corpus(project.corpus, find_challenge_of_corpus(project.corpus), person)


def _mail_new_curator(project: CurationProject, person: AbstractBaseUser) -> None:
    context = {"project": project, "link": build_site_url("curation-project", project.pk)}
    mail_person(person, f"{project}: please curate articles", "curation_projects/email/curator.txt", context)


@transaction.atomic
def remove_curator(project: CurationProject, curator_id: int, now: datetime) -> Curator:
    """Remove a curator, or let them leave; CurationError if the project has no such active curator."""
    curator = Curator.objects.filter(pk=curator_id, project=project).select_related("user").first()
    if curator is None or not membership.release_project_curator(project, curator_id, now):
        raise CurationError(f"{project} has no such curator.", "curator")
    record_audit_event(AuditAction.CURATION_CURATOR_REMOVED, describe_project(project), person=curator.user)
    return curator


def leave_project(project: CurationProject, curator: Curator | None, now: datetime) -> None:
    """Let a curator leave; PermissionDenied for somebody else."""
    if curator is None:
        raise PermissionDenied("You are no curator of this project.")
    remove_curator(project, curator.pk, now)


@transaction.atomic
def take_article(project: CurationProject, curator: Curator | None, article: Article) -> Curation:
    """The curation of the article by the curator, who takes it if nobody has it. PermissionDenied without a curator.

    CurationError if a colleague has it, or if the project is closed. ChallengeError for a curator who competes on it.
    """
    if curator is None or curator.user is None:
        raise PermissionDenied("You are no curator of this project.")
    check_not_competing(project, curator.user)
    own = Curation.objects.filter(curator=curator, article=article).first()
    if own is not None:
        return own
    # So that of two curators who take it at the same moment one gets it.
    membership.lock_project_unless_closed(project.pk)
    if not assignment.list_unassigned_articles(project).filter(pk=article.pk).exists():
        raise CurationError("A colleague has this article already. Choose another one.")
    return assignment.assign_article(project, article, curator.pk)


@transaction.atomic
def add_adjudicator(project: CurationProject, person: AbstractBaseUser) -> None:
    """Let a person see what was decided and decide on the outcome; ChallengeError if they compete on the articles."""
    check_not_competing(project, person)
    project.adjudicators.add(person.pk)
    record_audit_event(AuditAction.CURATION_ADJUDICATOR_ADDED, describe_project(project), person=person)


@transaction.atomic
def set_closed(project: CurationProject, now: datetime, *, closed: bool) -> None:
    """Close the project, or open it again."""
    membership.close_project(project, now if closed else None)
    record_audit_event(AuditAction.CURATION_PROJECT_CHANGED, describe_project(project), after={"closed": closed})


@transaction.atomic
def split_corpus(project: CurationProject, overlap: float, seed: int) -> int:
    """Assign what nobody curates; returns the number of articles. CurationError as split_unassigned_articles."""
    assigned = assignment.split_unassigned_articles(project, overlap, seed)
    after = {"assigned": assigned, "overlap": overlap, "seed": seed}
    record_audit_event(AuditAction.CURATION_PROJECT_CHANGED, describe_project(project), after=after)
    return assigned


def find_curation_to_hand_over(curator: Curator, article: Article) -> Curation:
    """CurationError if the curator does not have the article, or has finished it."""
    unfinished = Curation.objects.filter(curator=curator, article=article).exclude(state=CurationState.FINISHED)
    curation = unfinished.first()
    if curation is None:
        raise CurationError(f"{curator.user} has no unfinished curation of this article.", "article")
    return curation


@transaction.atomic
def hand_over(curation_id: int, curator_id: int, now: datetime) -> Curation:
    """Give a curation to a colleague of its project; CurationError as hand_over_curation."""
    before = Curation.objects.select_related("curator__user").get(pk=curation_id).curator.user
    curation = assignment.hand_over_curation(curation_id, curator_id, now)
    project, after = curation.curator.project, curation.curator.user
    record_audit_event(
        AuditAction.CURATION_HANDED_OVER,
        f"curation {curation.pk} of {project}",
        before={"curator": before},
        after={"curator": after},
        person=after,
    )
    return curation


@transaction.atomic
def decide_outcome(
    project: CurationProject, article_id: int, choices: Choices, shown: str, user: AbstractBaseUser, now: datetime
) -> Curation:
    """Store the outcome of an article; CurationError and StaleDecisionError as store_adjudicated_outcome."""
    outcome = adjudication.store_adjudicated_outcome(project, article_id, choices, shown, user.pk, now)
    record_audit_event(AuditAction.CURATION_OUTCOME_DECIDED, f"article {article_id} in {describe_project(project)}")
    return outcome


@transaction.atomic
def accept_agreed(project: CurationProject, user: AbstractBaseUser, now: datetime) -> tuple[int, int]:
    """Take over what curators agree on; the numbers of articles taken over and left for the next time."""
    accepted, left = adjudication.accept_agreed_articles(project, user.pk, now)
    if accepted:
        record_audit_event(
            AuditAction.CURATION_OUTCOME_DECIDED, describe_project(project), after={"articles": accepted}
        )
    return accepted, left


def make_gold(project: CurationProject, task: Task, phase: Phase) -> GoldStandard:
    """Make the outcome a gold standard, which the audit trail records; errors as store_outcome_as_gold."""
    return store_outcome_as_gold(project, task, phase)
