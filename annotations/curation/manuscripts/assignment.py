"""Curators to whom a journal assigns a manuscript: they continue the record of its author.

The basis of their curation is that of the author, and None once the journal has revoked the assignment.
"""

from django.db import transaction
from django.db.models import QuerySet

from annotations.curation.manuscripts.errors import ManuscriptError
from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.manuscripts.states import PRIVATE_STATES
from annotations.curation.models import Curation
from annotations.curation.session import get_or_create_curator
from annotations.curation.states import CurationState


@transaction.atomic
def assign_curator(manuscript_id: int, user_id: int, user_name: str) -> tuple[Curation, bool]:
    """The curation of the manuscript that waits for the account, and whether it is assigned now, not before.

    ManuscriptError if the manuscript is withdrawn or published.
    """
    manuscript = _lock_private_manuscript(manuscript_id)
    curation, is_new = Curation.objects.get_or_create(
        curator=get_or_create_curator(user_id, user_name),
        article_id=manuscript.article_id,
        defaults={
            "text_version": manuscript.curation.text_version,
            "basis_id": manuscript.curation_id,
            "state": CurationState.ASSIGNED,
        },
    )
    if curation.basis_id is None:
        curation.basis_id, is_new = manuscript.curation_id, True
        curation.save(update_fields=["basis"])
    return curation, is_new


def _lock_private_manuscript(manuscript_id: int) -> Manuscript:
    manuscript = Manuscript.objects.select_for_update(no_key=True).get(pk=manuscript_id)
    if manuscript.state not in PRIVATE_STATES:
        raise ManuscriptError("The manuscript is withdrawn or published, so its curators stay as they are.")
    return manuscript


@transaction.atomic
def revoke_assignment(manuscript_id: int, curation_id: int) -> bool:
    """Let a curator see the manuscript no longer; returns whether it had one with this curation.

    What the curator decided is kept, and is there again if the journal assigns the same person. It is not published.
    ManuscriptError if the manuscript is withdrawn or published.
    """
    manuscript = _lock_private_manuscript(manuscript_id)
    assigned = list_curations_of_assigned_curators(manuscript).filter(pk=curation_id)
    return bool(Curation.objects.filter(pk__in=assigned.values("pk")).update(basis=None))


def list_curations_of_assigned_curators(manuscript: Manuscript) -> QuerySet[Curation]:
    """Their curations of the manuscript, with their names."""
    return manuscript.curation.continued_by.select_related("curator__user").order_by("pk")
