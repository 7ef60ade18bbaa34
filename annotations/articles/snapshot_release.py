"""Release the snapshots of a corpus when its test is published: each becomes a public article, or part of one.

If no public article has its identifiers, a snapshot gets them back and is that article from then on. If one has them
and the same text, everything of the snapshot is moved to it. If its text differs, both are shown, and their pages link
to each other: the annotations of the test belong to the text that was annotated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import connection, models, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now, Upper

from annotations.articles.imports.citation_storage import lock_imports_until_commit
from annotations.articles.models import (
    Article,
    ArticleChange,
    ArticleSnapshot,
    ArticleTakedown,
    Corpus,
    CorpusArticle,
    OlderText,
)
from annotations.articles.snapshots import IDENTIFYING_FIELDS, iter_identity_keys
from annotations.articles.versions import raise_article_versions
from annotations.data_sets.models import DataSetArticle
from annotations.results.models import ArticleSummary, Result

# How long after its release something can still be stored for a snapshot, by a call that was under way.
LATE_RESULTS = timedelta(days=1)
# Derived from the article, or the record of the snapshot itself. Data sets have no snapshots.
UNMOVED_MODELS = (ArticleChange, ArticleSummary, ArticleSnapshot, ArticleTakedown, DataSetArticle, OlderText)
MOVE_RESULTS = """
UPDATE annotations_result AS result SET article_id = article.id, text_version = article.text_version
FROM unnest(%s::bigint[], %s::bigint[]) AS moved (snapshot, public)
JOIN annotations_article AS article ON article.id = moved.public
WHERE result.article_id = moved.snapshot
"""
MOVE_ROWS = """
UPDATE {table} AS owner SET {column} = moved.public
FROM unnest(%s::bigint[], %s::bigint[]) AS moved (snapshot, public)
WHERE owner.{column} = moved.snapshot
"""


@dataclass(slots=True)
class _Release:
    """What becomes of the snapshots of a corpus. merged, separate: {key of a snapshot: key of its public article}."""

    named: list[ArticleSnapshot] = field(default_factory=list)
    merged: dict[int, int] = field(default_factory=dict)
    separate: dict[int, int] = field(default_factory=dict)


@transaction.atomic
def release_snapshots_unless_in_blind_corpus(corpus: Corpus) -> Mapping[int, int]:
    """Release the snapshots of a corpus that is blind no more, but those that another blind corpus has.

    Returns those of which everything was moved: {key of the snapshot: key of its public article}. The caller locks
    the servers that may still store answers for them, before this locks articles, in the order of their keys.
    """
    lock_imports_until_commit(exclusive=True)
    still_blind = CorpusArticle.objects.filter(article=OuterRef("pk"), corpus__blind=True)
    snapshots = list(
        ArticleSnapshot.objects.filter(~Exists(still_blind), article__corpora=corpus, released__isnull=True)
        .select_related("article")
        .defer("article__passages", "article__text")
        .order_by("pk")
    )
    release = _decide_release(snapshots)
    _apply_release(snapshots, release)
    _move_everything(release.merged)
    return release.merged


@transaction.atomic
def release_snapshot_as_separate_article(snapshot: ArticleSnapshot) -> None:
    """Show everybody a snapshot, loaded with its article, under its identifiers; or, if a public article has these,
    beside that one. Nothing is moved to another article, as servers may have annotated both. The caller has locked
    imports.
    """
    _apply_release([snapshot], _decide_release([snapshot], merges=False))


def _apply_release(snapshots: Sequence[ArticleSnapshot], release: _Release) -> None:
    """Store what becomes of the snapshots, but for moving what belongs to merged ones."""
    named = [snapshot.pk for snapshot in release.named]
    raise_article_versions([*named, *release.merged.values(), *release.separate.values()])
    _name_articles(release.named)
    ArticleSnapshot.objects.filter(pk__in=[snapshot.pk for snapshot in snapshots]).update(released=Now())
    for snapshot_key, public_key in [*release.merged.items(), *release.separate.items()]:
        ArticleSnapshot.objects.filter(pk=snapshot_key).update(public_article=public_key)
    Article.objects.filter(pk__in=release.separate).update(blind=False, counted_version=F("counted_version") + 1)
    _take_down_with_public_articles(release.separate)


def _decide_release(snapshots: Sequence[ArticleSnapshot], *, merges: bool = True) -> _Release:
    release, taken = _Release(), set[int]()
    public_articles = _PublicArticles(snapshots)
    changed_texts = set(OlderText.objects.filter(article__in=[each.pk for each in snapshots]).values_list("article"))
    for snapshot in snapshots:
        public = public_articles.find(snapshot)
        if public is None:
            release.named.append(snapshot)
            public_articles.add(snapshot, snapshot.article)
            continue
        same_text = public.content_hash == snapshot.article.content_hash and (snapshot.pk,) not in changed_texts
        # Without a PMID or DOI, the name of the article in the files of the challenge is the id of the snapshot.
        if merges and same_text and (snapshot.pmid or snapshot.doi) and public.pk not in taken:
            release.merged[snapshot.pk] = public.pk
            taken.add(public.pk)
        else:
            release.separate[snapshot.pk] = public.pk
    return release


class _PublicArticles:
    """The public articles that snapshots may be of, by PMID, PMCID and DOI, or by text for those without these."""

    def __init__(self, snapshots: Sequence[ArticleSnapshot]) -> None:
        self.by_key: dict[tuple[str, object], Article] = {}
        has_identifier = (
            Q(pmid__in=[each.pmid for each in snapshots if each.pmid])
            | Q(pmcid__in=[each.pmcid for each in snapshots if each.pmcid])
            | Q(upper_doi__in=[each.doi.upper() for each in snapshots if each.doi])
        )
        nameless = [each.article.content_hash for each in snapshots if not (each.pmid or each.pmcid or each.doi)]
        has_text = Q(pmid__isnull=True, pmcid="", doi="", content_hash__in=nameless, snapshot__isnull=True)
        articles = Article.objects.alias(upper_doi=Upper("doi")).filter(has_identifier | has_text, blind=False)
        for article in articles.only("pmid", "pmcid", "doi", "content_hash").order_by("pk"):
            self.add(article, article)

    def add(self, named: Article | ArticleSnapshot, article: Article) -> None:
        """Add an article under the identifiers of it or of its snapshot."""
        for key in iter_identity_keys(named, article.content_hash):
            self.by_key.setdefault(key, article)

    def find(self, snapshot: ArticleSnapshot) -> Article | None:
        """The public article of a snapshot; of a PMCID or DOI only if the PMIDs do not contradict each other."""
        found = (self.by_key.get(key) for key in iter_identity_keys(snapshot, snapshot.article.content_hash))
        return next(
            (each for each in found if each and not (each.pmid and snapshot.pmid and each.pmid != snapshot.pmid)), None
        )


def _name_articles(snapshots: Sequence[ArticleSnapshot]) -> None:
    """Give snapshots their identifiers, journal, year and metadata back."""
    articles = []
    for snapshot in snapshots:
        article = snapshot.article
        for name in IDENTIFYING_FIELDS:
            setattr(article, name, getattr(snapshot, name))
        article.blind = False
        articles.append(article)
    Article.objects.bulk_update(articles, [*IDENTIFYING_FIELDS, "blind"], batch_size=500)


def _take_down_with_public_articles(separate: Mapping[int, int]) -> None:
    """Hide the other texts of articles that administrators took down, for the same reasons."""
    takedowns = {each.article_id: each for each in ArticleTakedown.objects.filter(article__in=separate.values())}
    ArticleTakedown.objects.bulk_create(
        ArticleTakedown(article_id=snapshot, reason=takedowns[public].reason, by_id=takedowns[public].by_id)
        for snapshot, public in separate.items()
        if public in takedowns
    )


def _move_everything(merged: Mapping[int, int]) -> None:
    """Let all rows that refer to a snapshot refer to its public article."""
    if not merged:
        return
    parameters = [list(merged), list(merged.values())]
    with connection.cursor() as cursor:
        for relation in iter_moved_relations():
            if relation.related_model is Result:
                cursor.execute(MOVE_RESULTS, parameters)
                continue
            table = connection.ops.quote_name(relation.related_model._meta.db_table)
            column = connection.ops.quote_name(relation.field.column)
            cursor.execute(MOVE_ROWS.format(table=table, column=column), parameters)
    ArticleSummary.objects.filter(article__in=merged).delete()


def iter_moved_relations() -> Iterator[Any]:
    """All foreign keys to Article, of any app, whose rows go with the article that they are about."""
    for relation in Article._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ManyToOneRel) and relation.related_model not in UNMOVED_MODELS:
            yield relation


@transaction.atomic
def move_late_results_of_merged_snapshots() -> int:
    """Move what calls stored that were under way when their test was published. How many snapshots had something."""
    late = Result.objects.filter(
        article__blind=True,
        article__snapshot__public_article__isnull=False,
        article__snapshot__released__gte=Now() - LATE_RESULTS,
    )
    keys = dict(late.values_list("article", "article__snapshot__public_article"))
    raise_article_versions(keys.values())
    _move_everything(keys)
    return len(keys)
