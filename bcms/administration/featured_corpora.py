"""The corpora whose articles the home page offers; staff choose them, by page or command."""

from django.db import transaction

from annotations.articles.models import Corpus
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event


@transaction.atomic
def feature_public_corpus(corpus: Corpus) -> bool:
    """Offer the articles of a corpus on the home page; False if it is blind, or featured already."""
    changed = bool(Corpus.objects.filter(pk=corpus.pk, blind=False, featured=False).update(featured=True))
    if changed:
        record_audit_event(AuditAction.CORPUS_FEATURED, corpus.slug)
    return changed


@transaction.atomic
def stop_featuring_corpus(corpus: Corpus) -> bool:
    """Stop offering the articles of a corpus on the home page; False if it is not featured."""
    changed = bool(Corpus.objects.filter(pk=corpus.pk, featured=True).update(featured=False))
    if changed:
        record_audit_event(AuditAction.CORPUS_NOT_FEATURED, corpus.slug)
    return changed
