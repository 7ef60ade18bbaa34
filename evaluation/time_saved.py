"""What reading a corpus in the order of likely interaction articles saves, where a public gold standard can tell."""

from dataclasses import dataclass

from django.db.models import Case, OuterRef, Subquery, Value, When

from annotations.finding import BALANCE
from annotations.kinds import Kind
from annotations.models import Annotation, Article
from annotations.querysets import search_query
from evaluation.analyses.reading_time import Comparison, compared
from evaluation.models import GoldStandard

# The word that parts relevant articles from others best (BioCreative III).
KEYWORD = "interact"


@dataclass(frozen=True, slots=True)
class TimeSaved:
    """comparison over the articles of a corpus that both servers and the gold standard classify."""

    keyword: str
    articles: int
    comparison: Comparison

    @property
    def percent(self) -> int:
        return round(100 * self.comparison.saved)

    @property
    def more(self) -> int:
        return -self.percent


def time_saved(corpus: int, words: str = "") -> TimeSaved | None:
    """The order of likelihood against a search for these words, or for "interact": 2 queries, 1 without gold standard.

    None where no public gold standard tells which articles of the corpus are relevant, or nothing can be compared.
    """
    golds = GoldStandard.objects.filter(phase__corpus=corpus, task__kind=Kind.CLASSIFICATION, producer__public=True)
    gold = golds.order_by("pk").values_list("producer", flat=True).first()
    if gold is None:
        return None
    keyword = words or KEYWORD
    rows = judged(corpus, gold, keyword)
    comparison = compared([relevant for relevant, _ in rows], [chosen for _, chosen in rows])
    return TimeSaved(keyword, len(rows), comparison) if comparison else None


def judged(corpus: int, gold: int, keyword: str) -> list[tuple[bool, bool]]:
    """Of each classified article, the likeliest first, whether it is relevant and whether it has the keyword."""
    said = Annotation.objects.filter(
        result__article=OuterRef("pk"),
        result__producer=gold,
        result__kind=Kind.CLASSIFICATION,
        result__superseded__isnull=True,
    )
    articles = Article.objects.filter(corpusarticle__corpus=corpus, standing__balance__isnull=False)
    rows = articles.annotate(
        relevant=Subquery(said.values("relevant")[:1]),
        chosen=Case(When(words=search_query(keyword), then=Value(True)), default=Value(False)),
    )
    rows = rows.filter(relevant__isnull=False).order_by(BALANCE.desc(), "-pk")
    return list(rows.values_list("relevant", "chosen"))
