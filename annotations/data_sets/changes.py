"""Which articles of a data set have changed since their consensus was built.

An article has changed if its text or the current Results of the sources on it are others than those that its consensus
was built from, which its fingerprint tells; and if it came to, or left, the corpus or search. It has no fingerprint any
more if an identifier in these Results has got another successor or gene.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.db import connection
from django.db.models import Max

from annotations.data_sets.models import DataSet, DataSetArticle
from annotations.identifiers.reported_identifiers import RESULTS_WITH_IDENTIFIERS, build_identifier_parameters
from annotations.results.models import Result

FINGERPRINTS = """
    SELECT article.id, article.text_version, hashtextextended(
        article.text_version || ':' || coalesce(string_agg(result.id::text, ',' ORDER BY result.id), ''), 0
    ) AS fingerprint
    FROM annotations_article AS article
    LEFT JOIN annotations_result AS result
        ON result.article_id = article.id AND result.text_version = article.text_version
        AND result.superseded IS NULL
        AND result.producer_id = ANY(%(sources)s) AND result.kind = ANY(%(kinds)s)
    WHERE article.id = ANY(%(articles)s) GROUP BY article.id
"""
CHANGED_ARTICLES = f"""
    SELECT found.id FROM ({FINGERPRINTS}) AS found
    LEFT JOIN annotations_datasetarticle AS member
        ON member.data_set_id = %(data_set)s AND member.article_id = found.id
    WHERE member.fingerprint IS DISTINCT FROM found.fingerprint OR member.id IS NULL ORDER BY found.id
"""
# A worker that is building an article is waited for, as it may have read the earlier entries.
FORGET_FINGERPRINTS = f"""
    UPDATE annotations_datasetarticle SET fingerprint = NULL WHERE id IN (
        SELECT member.id FROM annotations_datasetarticle AS member
        JOIN annotations_dataset AS data_set ON data_set.id = member.data_set_id
        JOIN annotations_dataset_sources AS source ON source.dataset_id = data_set.id
        JOIN annotations_result AS result
            ON result.article_id = member.article_id AND result.producer_id = source.producer_id
            AND result.kind = ANY(data_set.kinds) AND result.superseded IS NULL
        WHERE result.id IN ({RESULTS_WITH_IDENTIFIERS}) AND member.fingerprint IS NOT NULL
        ORDER BY member.id FOR NO KEY UPDATE OF member
    ) RETURNING data_set_id
"""


@dataclass(frozen=True, slots=True)
class ArticleState:
    """The version of an article's text, and the fingerprint of that and of the Results of the sources."""

    text_version: int
    fingerprint: int


@dataclass(frozen=True, slots=True)
class ChangedArticles:
    """Primary keys of articles. changed: to be built; gone: no longer in the corpus or search."""

    changed: Sequence[int]
    gone: Sequence[int]

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)


def find_changed_articles(data_set: DataSet, article_keys: Collection[int]) -> ChangedArticles:
    """What differs from the articles that the data set should have now: 3 queries."""
    with connection.cursor() as cursor:
        cursor.execute(CHANGED_ARTICLES, _build_parameters(data_set, article_keys) | {"data_set": data_set.pk})
        changed = [article for (article,) in cursor.fetchall()]
    members = DataSetArticle.objects.filter(data_set=data_set).order_by("article")
    wanted = set(article_keys)
    gone = [article for article in members.values_list("article_id", flat=True) if article not in wanted]
    return ChangedArticles(changed, gone)


def load_article_states(data_set: DataSet, article_keys: Collection[int]) -> Mapping[int, ArticleState]:
    """The state of each article by its primary key: 2 queries."""
    with connection.cursor() as cursor:
        cursor.execute(FINGERPRINTS, _build_parameters(data_set, article_keys))
        return {pk: ArticleState(version, fingerprint) for pk, version, fingerprint in cursor.fetchall()}


def forget_fingerprints_of_changed_entries(database: str, identifiers: Collection[str]) -> None:
    """Have the articles built anew that have these identifiers, whose successors or genes have changed.

    Their data sets are found by the next sweep: 2 queries.
    """
    with connection.cursor() as cursor:
        cursor.execute(FORGET_FINGERPRINTS, build_identifier_parameters(database, identifiers))
        data_sets = {data_set for (data_set,) in cursor.fetchall()}
    DataSet.objects.filter(pk__in=data_sets).update(watermark="")


def _build_parameters(data_set: DataSet, article_keys: Collection[int]) -> dict[str, list[int] | list[str] | int]:
    sources = list(data_set.sources.values_list("pk", flat=True))
    return {"sources": sources, "kinds": data_set.kinds, "articles": list(article_keys)}


def compute_source_watermark(data_set: DataSet) -> str:
    """A text that changes when a source stores a Result, or articles come to the corpus or leave it: 2 queries.

    Finding the changed articles takes a second for a large data set; this does not.
    """
    newest = [
        (source, Result.objects.filter(producer=source).order_by("-received").values_list("pk", "received").first())
        for source in data_set.sources.order_by("pk").values_list("pk", flat=True)
    ]
    members = data_set.corpus.corpusarticle_set.aggregate(last=Max("pk")) if data_set.corpus else {}
    return sha256(repr((newest, members, data_set.corpus_id)).encode()).hexdigest()
