"""Corpora: ordered sets of articles."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from annotations.models import Article, Corpus, CorpusArticle


@transaction.atomic
def append(slug: str, pmids: Sequence[int]) -> int:
    """Put the articles that are stored at the end of a corpus, made if it is new, in this order and each once.

    The number that was added; an article that is in the corpus stays where it is.
    """
    known = dict(Article.objects.filter(pmid__in=pmids).values_list("pmid", "pk"))
    return append_articles(slug, [known[pmid] for pmid in pmids if pmid in known])


@transaction.atomic
def append_articles(slug: str, articles: Sequence[int]) -> int:
    """The same by the keys of the articles."""
    Corpus.objects.get_or_create(slug=slug, defaults={"name": slug})
    corpus = Corpus.objects.select_for_update().get(slug=slug)
    there = set(corpus.corpusarticle_set.values_list("article_id", flat=True))
    keys = [article for article in dict.fromkeys(articles) if article not in there]
    last = corpus.corpusarticle_set.aggregate(last=Max("position"))["last"] or 0
    CorpusArticle.objects.bulk_create(
        (CorpusArticle(corpus=corpus, article_id=key, position=last + n) for n, key in enumerate(keys, 1)),
        batch_size=5000,
    )
    return len(keys)
