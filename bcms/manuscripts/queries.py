"""The manuscripts of a journal, as REST shows them."""

from django.db.models import QuerySet

from annotations.curation.manuscripts.models import Manuscript
from servers.teams.permissions import User


def list_own_manuscripts(user: User) -> QuerySet[Manuscript]:
    """The manuscripts that the account has sent, the newest first. Nobody else sees them, administrators included."""
    own = Manuscript.objects.filter(journal=user.pk) if user.is_authenticated else Manuscript.objects.none()
    related = own.select_related("article", "curation", "journal")
    return related.defer("article__text", "article__metadata", "curation__record").order_by("-pk")
