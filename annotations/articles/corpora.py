"""Corpora, which are ordered sets of articles."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from annotations.articles.models import Article, ArticleSnapshot, Corpus, CorpusArticle
from annotations.articles.snapshots import replace_articles_by_snapshots


class BlindArticleError(Exception):
    """A snapshot of a blind test set cannot be in a corpus that is not blind."""


@transaction.atomic
def append_stored_pmids_creating_corpus(slug: str, pmids: Sequence[int]) -> int:
    """Append the stored articles with these PMIDs to a corpus, in this order; PMIDs of no article are ignored.

    Creates the corpus if necessary. An article that is in the corpus already keeps its position. Returns how many
    articles were added.
    """
    keys = dict(Article.objects.filter(pmid__in=pmids).values_list("pmid", "pk"))
    return append_absent_articles_creating_corpus(slug, [keys[pmid] for pmid in pmids if pmid in keys])


@transaction.atomic
def append_absent_articles_creating_corpus(slug: str, article_keys: Sequence[int]) -> int:
    """Append articles, given by their primary keys, to a corpus in this order.

    Creates the corpus if necessary. An article that is in the corpus already keeps its position. A blind corpus gets
    snapshots of them; other corpora cannot have snapshots (BlindArticleError). Returns how many articles were added.
    """
    Corpus.objects.get_or_create(slug=slug, defaults={"name": slug})
    corpus = Corpus.objects.select_for_update().get(slug=slug)
    return append_absent_articles(corpus, article_keys)


def append_absent_articles(corpus: Corpus, article_keys: Sequence[int]) -> int:
    """Append articles to a corpus whose row is locked or new. Nothing else adds articles to corpora."""
    if corpus.blind:
        article_keys = replace_articles_by_snapshots(
            corpus, article_keys, ArticleSnapshot.objects.filter(article__corpora=corpus)
        )
    elif Article.objects.filter(pk__in=article_keys, blind=True).exists():
        raise BlindArticleError(f"The corpus {corpus} is not blind and cannot have articles of a blind test set.")
    present = set(corpus.corpusarticle_set.values_list("article_id", flat=True))
    keys = [article for article in dict.fromkeys(article_keys) if article not in present]
    last = corpus.corpusarticle_set.aggregate(last=Max("position"))["last"] or 0
    CorpusArticle.objects.bulk_create(
        (CorpusArticle(corpus=corpus, article_id=key, position=last + number) for number, key in enumerate(keys, 1)),
        batch_size=5000,
    )
    return len(keys)
