"""Delete a corpus of a challenge that nothing uses. Its articles stay; the snapshots of a blind one go with it."""

from django.db import transaction
from django.db.models import QuerySet

from annotations.articles.models import Corpus
from annotations.articles.snapshots import delete_snapshots_in_no_corpus
from annotations.curation.projects.models import CurationProject
from evaluation.challenges.models import Challenge, Phase
from evaluation.errors import ChallengeError
from evaluation.labelling.models import Labelling
from evaluation.manual_annotations.models import ManualAnnotationSet
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event


def list_own_corpora(challenge: Challenge) -> QuerySet[Corpus]:
    """The corpora that were added to the challenge; other challenges may use those that are not blind."""
    return Corpus.objects.filter(owner__challenge=challenge).order_by("name", "pk")


@transaction.atomic
def delete_unused_corpus(challenge: Challenge, corpus: Corpus) -> None:
    """Delete a corpus that was added to the challenge. ChallengeError, with the reason, if something uses it."""
    corpus = Corpus.objects.select_for_update().get(pk=corpus.pk)
    check_corpus_can_be_deleted(challenge, corpus)
    record_audit_event(AuditAction.CORPUS_DELETED, corpus.slug, before={"name": corpus.name}, challenge_id=challenge.pk)
    corpus.delete()
    delete_snapshots_in_no_corpus()


def check_corpus_can_be_deleted(challenge: Challenge, corpus: Corpus) -> None:
    """ChallengeError if the corpus was not added to the challenge, or if something uses it."""
    if not list_own_corpora(challenge).filter(pk=corpus.pk).exists():
        raise ChallengeError(f"{corpus} was not added to {challenge}, so it cannot be deleted here.")
    if use := find_corpus_use(corpus):
        raise ChallengeError(f"{corpus} is used by {use} and cannot be deleted.")


def find_corpus_use(corpus: Corpus) -> str:
    """What uses the corpus, in any challenge; empty if nothing does. At most four queries."""
    phase = Phase.objects.filter(corpus=corpus).select_related("challenge").first()
    if phase is not None:
        return f"the {phase.sort} phase of {phase.challenge}"
    if Labelling.objects.filter(corpus=corpus).exists():
        return "a labelling by curators"
    if CurationProject.objects.filter(corpus=corpus).exists():
        return "a curation project"
    return "imported annotations" if ManualAnnotationSet.objects.filter(corpus=corpus).exists() else ""
