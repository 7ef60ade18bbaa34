"""The manuscripts of a journal, as REST shows them, and who manages them."""

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet

from annotations.curation.manuscripts.journals import list_journals
from annotations.curation.manuscripts.models import Manuscript
from bcms.manuscripts.intake import can_submit_manuscripts
from evaluation.visibility import is_staff
from servers.teams.permissions import User

RIGHT_LOST = (
    "Your account no longer has the right to submit manuscripts, so you can read their state but change nothing. Ask "
    "an administrator."
)


def list_managed_manuscripts(user: User) -> QuerySet[Manuscript]:
    """The manuscripts that the account has sent, the newest first; nobody else sees them.

    Administrators also see those of journals that have lost the right to submit manuscripts, and manage them instead.
    """
    visible = Q(journal=user.pk)
    if is_staff(user):
        visible |= ~Q(journal__in=list_journals().values("pk"))
    managed = Manuscript.objects.filter(visible) if user.is_authenticated else Manuscript.objects.none()
    related = managed.select_related("article", "curation", "journal")
    return related.defer("article__text", "article__metadata", "curation__record").order_by("-pk")


def check_may_manage(user: User) -> None:
    """PermissionDenied for a journal that has lost its right; its authors and curators go on."""
    if not is_staff(user) and not can_submit_manuscripts(user):
        raise PermissionDenied(RIGHT_LOST)
