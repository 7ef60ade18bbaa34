"""The reading time saved by a corpus sorted by likelihood of protein interactions, from a public gold standard."""

from dataclasses import dataclass

from django.db.models import Case, OuterRef, Subquery, Value, When

from annotations.articles.models import Article
from annotations.results.models import Annotation
from annotations.schema import Kind
from annotations.search.article_search import BALANCE_ORDER
from annotations.search.queries import build_query_matching_spelling_variants
from evaluation.analyses.reading_time import ReadingComparison, compare_reading_at_keyword_search_recall
from evaluation.gold.models import GoldStandard

# The keyword that separates relevant articles from others best (BioCreative III).
DEFAULT_KEYWORD = "interact"


@dataclass(frozen=True, slots=True)
class ReadingTimeSaved:
    """comparison: over the articles of a corpus that both servers and the gold standard classify."""

    keyword: str
    articles: int
    comparison: ReadingComparison

    @property
    def percent(self) -> int:
        return round(100 * self.comparison.saved)

    @property
    def more(self) -> int:
        return -self.percent


def estimate_reading_saved_over_keyword_search(corpus_id: int, search_words: str = "") -> ReadingTimeSaved | None:
    """Compare the order by likelihood with a search for these words, by default "interact": at most 2 queries.

    None when no public gold standard classifies the articles of the corpus, or the search finds no relevant article.
    """
    golds = GoldStandard.objects.filter(phase__corpus=corpus_id, task__kind=Kind.CLASSIFICATION, producer__public=True)
    gold = golds.order_by("pk").values_list("producer", flat=True).first()
    if gold is None:
        return None
    keyword = search_words or DEFAULT_KEYWORD
    rows = _list_articles_by_likelihood(corpus_id, gold, keyword)
    comparison = compare_reading_at_keyword_search_recall(
        [relevant for relevant, _ in rows], [chosen for _, chosen in rows]
    )
    return ReadingTimeSaved(keyword, len(rows), comparison) if comparison else None


def _list_articles_by_likelihood(corpus: int, gold: int, keyword: str) -> list[tuple[bool, bool]]:
    """(is relevant, has the keyword) of each classified article, the most likely first."""
    gold_calls = Annotation.objects.filter(
        result__article=OuterRef("pk"),
        result__producer=gold,
        result__kind=Kind.CLASSIFICATION,
        result__superseded__isnull=True,
    )
    articles = Article.objects.filter(corpusarticle__corpus=corpus, standing__balance__isnull=False)
    rows = articles.annotate(
        relevant=Subquery(gold_calls.values("relevant")[:1]),
        chosen=Case(
            When(words=build_query_matching_spelling_variants(keyword), then=Value(True)), default=Value(False)
        ),
    )
    rows = rows.filter(relevant__isnull=False).order_by(BALANCE_ORDER.desc(), "-pk")
    return list(rows.values_list("relevant", "chosen"))
