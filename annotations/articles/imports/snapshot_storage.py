"""Store the articles of uploaded files straight as snapshots of a blind corpus.

No public article is created, changed or looked at. An article is recognized by its PMID, else its PMCID, else its DOI
(in any case); one without these by its exact text: among the articles of the upload, and among the snapshots that the
owner of the corpus has already, which stay as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotations.articles.corpora import append_absent_articles
from annotations.articles.imports.article_storage import ArticleStorageError, refuse_too_many_words
from annotations.articles.models import Article, ArticleSnapshot, Corpus
from annotations.articles.snapshots import create_snapshots, iter_identity_keys


@dataclass(frozen=True, slots=True)
class StoredSnapshots:
    """The result of storing one file.

    articles: the snapshot of each article of the file, in its order. new: keys of those that were stored now. kept:
    names of the articles of which there is a snapshot with another text, which stays.
    """

    articles: Sequence[Article]
    new: frozenset[int]
    kept: Sequence[str]


@dataclass(slots=True)
class _KnownSnapshot:
    """snapshot: the stored row or, until it is stored, the article of the file; place: where it is in the upload, empty
    for a snapshot that was there before.
    """

    pmid: int | None
    content_hash: str
    snapshot: Article
    place: str


class SnapshotUpload:
    """An upload of files to one blind corpus, whose row the caller has locked, in the caller's transaction."""

    def __init__(self, corpus: Corpus, reusable_snapshots: QuerySet[ArticleSnapshot]) -> None:
        """reusable_snapshots: those that an article of the upload may be. 1 query."""
        self.corpus = corpus
        self._known: dict[tuple[str, object], _KnownSnapshot] = {}
        rows = reusable_snapshots.filter(released__isnull=True).select_related("article").order_by("pk")
        for row in rows.defer("metadata", "article__text"):
            self._add(row, _KnownSnapshot(row.pmid, row.article.content_hash, row.article, ""))

    def store(self, articles: Sequence[Article], source: str) -> StoredSnapshots:
        """Store the articles of a file, which are rows that are not stored, and append them to the corpus.

        source: the name of the file in errors. ArticleStorageError if an article comes twice in the upload with
        different texts, or is too large for the database.
        """
        new: list[_KnownSnapshot] = []
        found: list[_KnownSnapshot] = []
        for number, article in enumerate(articles, 1):
            known = self._find(article)
            if known is None:
                known = _KnownSnapshot(article.pmid, article.content_hash, article, f"article {number} of {source}")
                new.append(known)
                self._add(article, known)
            elif known.place and known.content_hash != article.content_hash:
                raise ArticleStorageError(
                    f"{_name_article(article)} comes twice with different texts: {known.place}, and article {number} "
                    f"of {source} - remove one of them"
                )
            found.append(known)
        kept = [
            _name_article(article)
            for article, known in zip(articles, found, strict=True)
            if known.content_hash != article.content_hash
        ]
        with refuse_too_many_words():
            stored = create_snapshots(self.corpus, [known.snapshot for known in new])
        for known, snapshot in zip(new, stored, strict=True):
            known.snapshot = snapshot
        snapshots = [known.snapshot for known in found]
        append_absent_articles(self.corpus, [snapshot.pk for snapshot in snapshots])
        return StoredSnapshots(snapshots, frozenset(snapshot.pk for snapshot in stored), list(dict.fromkeys(kept)))

    def _add(self, named: Article | ArticleSnapshot, known: _KnownSnapshot) -> None:
        for key in iter_identity_keys(named, known.content_hash):
            self._known.setdefault(key, known)

    def _find(self, article: Article) -> _KnownSnapshot | None:
        """The snapshot with one of the identifiers, strongest first, unless the PMIDs contradict each other."""
        found = (self._known.get(key) for key in iter_identity_keys(article, article.content_hash))
        return next(
            (each for each in found if each and not (each.pmid and article.pmid not in (None, each.pmid))), None
        )


def _name_article(article: Article) -> str:
    return (
        f"PMID {article.pmid}" if article.pmid else article.pmcid or article.doi or "an article without an identifier"
    )
