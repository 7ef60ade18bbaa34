"""Who knows what was curated in the blind articles of a test."""

from django.contrib.auth.models import User as Account
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotations.curation.models import Curation
from annotations.curation.projects.models import CurationProject
from annotations.curation.states import CurationState


def list_insiders_of_corpus(corpus_id: int) -> QuerySet[Account]:
    """The accounts that have opened an article of the corpus in a curation project, or that see what was decided."""
    opened = Curation.objects.filter(
        ~Q(state=CurationState.ASSIGNED), curator__project__corpus=corpus_id, curator__user=OuterRef("pk")
    )
    projects = CurationProject.objects.filter(corpus=corpus_id)
    deciding = projects.filter(Q(owner=OuterRef("pk")) | Q(adjudicators=OuterRef("pk")))
    return Account.objects.filter(Exists(opened) | Exists(deciding))
