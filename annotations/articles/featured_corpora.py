"""The corpora whose articles the home page offers; staff choose them, by page or command."""

from annotations.articles.models import Corpus


def feature_public_corpus(corpus: Corpus) -> bool:
    """Offer the articles of a corpus on the home page; False if it is blind, or featured already."""
    return bool(Corpus.objects.filter(pk=corpus.pk, blind=False, featured=False).update(featured=True))


def stop_featuring_corpus(corpus: Corpus) -> bool:
    """Stop offering the articles of a corpus on the home page; False if it is not featured."""
    return bool(Corpus.objects.filter(pk=corpus.pk, featured=True).update(featured=False))
