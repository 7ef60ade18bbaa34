"""Snapshots for blind corpora: copies of texts that nothing but ArticleSnapshot connects with their articles."""

from collections.abc import Iterator, Mapping, Sequence

from django.db.models import QuerySet

from annotations.articles.models import Article, ArticleSnapshot, Corpus

ARTICLES_PER_BATCH = 500
IDENTIFYING_FIELDS = ("pmid", "doi", "pmcid", "journal", "year", "metadata")


def replace_articles_by_snapshots(
    corpus: Corpus, article_keys: Sequence[int], reusable_snapshots: QuerySet[ArticleSnapshot]
) -> list[int]:
    """The keys of snapshots of these articles, in their order, for a blind corpus. Snapshots are kept as they are.

    A public article of which a reusable snapshot was taken before gets that one, any other a new one. The public
    articles are not changed. 1 query, and 2 or 3 for each batch of public articles.
    """
    blind = set(Article.objects.filter(pk__in=article_keys, blind=True).values_list("pk", flat=True))
    public = [key for key in dict.fromkeys(article_keys) if key not in blind]
    snapshot_by_article: dict[int, int] = {}
    for start in range(0, len(public), ARTICLES_PER_BATCH):
        batch = Article.objects.select_related("snapshot").in_bulk(public[start : start + ARTICLES_PER_BATCH])
        known = _find_snapshots_of_articles(list(batch.values()), reusable_snapshots)
        new = [article for key, article in batch.items() if key not in known]
        snapshot_by_article |= {**known, **take_snapshots(corpus, new)}
    return [snapshot_by_article.get(key, key) for key in dict.fromkeys(article_keys)]


def get_identifying_values(article: Article) -> dict[str, object]:
    """The identifiers, journal, year and metadata of an article; of a snapshot, of what it was taken of."""
    named = _get_named_row(article)
    return {field: getattr(named, field) for field in IDENTIFYING_FIELDS}


def _get_named_row(article: Article) -> Article | ArticleSnapshot:
    """The row that has the identifiers: the article, or the record of what a snapshot was taken of."""
    if not (article.pmid or article.doi or article.pmcid) and hasattr(article, "snapshot"):
        return article.snapshot
    return article


def take_snapshots(corpus: Corpus | None, articles: Sequence[Article]) -> dict[int, int]:
    """Store snapshots of these stored articles, {key of the article: key of its snapshot}: 2 queries per batch.

    corpus: for which they are taken, None if it does not exist yet. Of a snapshot a copy is taken.
    """
    snapshots = create_snapshots(corpus, articles)
    return {article.pk: snapshot.pk for article, snapshot in zip(articles, snapshots, strict=True)}


def create_snapshots(corpus: Corpus | None, articles: Sequence[Article]) -> list[Article]:
    """Store a snapshot of each article, which need not be stored itself, in their order: 2 queries per batch."""
    snapshots = Article.objects.bulk_create(
        (
            Article(passages=article.passages, text=article.text, content_hash=article.content_hash, blind=True)
            for article in articles
        ),
        batch_size=ARTICLES_PER_BATCH,
    )
    ArticleSnapshot.objects.bulk_create(
        (
            ArticleSnapshot(article=snapshot, corpus=corpus, **get_identifying_values(article))
            for article, snapshot in zip(articles, snapshots, strict=True)
        ),
        batch_size=ARTICLES_PER_BATCH,
    )
    return snapshots


def _find_snapshots_of_articles(articles: Sequence[Article], snapshots: QuerySet[ArticleSnapshot]) -> Mapping[int, int]:
    """{key of an article: key of the first of the snapshots with its PMID, PMCID, DOI or, without these, text}."""
    keys_by_article = {
        article.pk: [*iter_identity_keys(_get_named_row(article), article.content_hash)] for article in articles
    }
    unreleased = snapshots.filter(released__isnull=True).select_related("article")
    rows = unreleased.order_by("-pk").only(*IDENTIFYING_FIELDS, "article__content_hash")
    known = {key: row.pk for row in rows for key in iter_identity_keys(row, row.article.content_hash)}
    found = {pk: next((known[key] for key in keys if key in known), None) for pk, keys in keys_by_article.items()}
    return {pk: key for pk, key in found.items() if key is not None}


def iter_identity_keys(named: Article | ArticleSnapshot, content_hash: str) -> Iterator[tuple[str, object]]:
    """What identifies an article or what a snapshot was taken of: its PMID, PMCID and DOI, or else its text."""
    keys = [("pmid", named.pmid), ("pmcid", named.pmcid), ("doi", named.doi.upper())]
    yield from ([key for key in keys if key[1]] or [("text", content_hash)])


def delete_snapshots_in_no_corpus() -> int:
    """Delete the snapshots that a deleted corpus left, but manuscripts and those with Results or calls. How many."""
    left = ArticleSnapshot.objects.filter(
        released__isnull=True,
        article__corpora__isnull=True,
        article__manuscript__isnull=True,
        article__results__isnull=True,
        article__calls__isnull=True,
    )
    keys = list(left.values_list("pk", flat=True))
    Article.objects.filter(pk__in=keys).delete()
    return len(keys)
