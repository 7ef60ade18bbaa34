"""Create curation projects, and admit and release their curators."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from annotations.articles.models import Corpus
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation, Curator
from annotations.curation.projects.models import CurationProject, ProjectHelp
from annotations.curation.states import CurationState
from annotations.results.models import Producer


@transaction.atomic
def create_curation_project(
    owner_id: int,
    name: str,
    corpus: Corpus,
    *,
    guideline: str = "",
    help: ProjectHelp = ProjectHelp.SYSTEMS,
    recipe: Mapping[str, object] | None = None,
    arm_seed: int | None = None,
) -> CurationProject:
    """A project without curators, with the producer of its outcome, whose annotations are not public."""
    producer = Producer.objects.create(sort=Producer.Type.CURATOR, name=f"Outcome of {name}"[:200])
    return CurationProject.objects.create(
        owner_id=owner_id,
        name=name,
        corpus=corpus,
        guideline=guideline,
        help=help,
        recipe=dict(recipe or {}),
        arm_seed=arm_seed,
        outcome=Curator.objects.create(producer=producer),
    )


def lock_project_unless_closed(project_id: int) -> CurationProject:
    """The project, which nobody else changes until the end of the transaction. CurationError if it is closed."""
    project = CurationProject.objects.select_for_update(no_key=True).get(pk=project_id)
    if project.closed:
        raise CurationError("This project is closed. Open it again first.")
    return project


@transaction.atomic
def get_or_readmit_project_curator(project: CurationProject, user_id: int, user_name: str) -> tuple[Curator, bool]:
    """The account as a curator of the project, with a producer of its own there, and whether it is new."""
    lock_project_unless_closed(project.pk)
    known = Curator.objects.filter(project=project, user=user_id).select_related("producer").first()
    if known is not None:
        known.released = None
        known.save(update_fields=["released"])
        return known, False
    producer = Producer.objects.create(sort=Producer.Type.CURATOR, name=f"{user_name}, {project}"[:200])
    return Curator.objects.create(project=project, user_id=user_id, producer=producer), True


@transaction.atomic
def release_project_curator(project: CurationProject, curator_id: int, now: datetime) -> bool:
    """Let somebody curate no longer in the project; what they began or finished stays, the rest is assigned to nobody.

    Returns False if there is no such active curator.
    """
    active = Curator.objects.filter(pk=curator_id, project=project, released__isnull=True)
    if not active.update(released=now):
        return False
    Curation.objects.filter(curator=curator_id, state=CurationState.ASSIGNED).delete()
    return True


def close_project(project: CurationProject, now: datetime | None) -> None:
    """Close the project, or with None open it again."""
    CurationProject.objects.filter(pk=project.pk).update(closed=now)
