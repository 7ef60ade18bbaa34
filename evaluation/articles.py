"""The articles of a phase: what they are called, and which of them count."""

from django.db.models import QuerySet

from annotations.models import Article
from evaluation.models import ExcludedArticle, Phase


def articles_of(phase: Phase) -> dict[int, str]:
    """The articles that count in a phase, with what the phase calls them: the PMID or DOI, in a blind corpus the
    opaque id, in the order of their keys. Those that the organizers excluded are left out. In one query, or two where
    the corpus is not loaded."""
    excluded = ExcludedArticle.objects.filter(phase=phase)
    articles = Article.objects.filter(corpora=phase.corpus_id).exclude(pk__in=excluded.values("article"))
    return named(phase, articles.order_by("pk"))


def named(phase: Phase, articles: QuerySet[Article]) -> dict[int, str]:
    """What the phase calls these articles, in their order."""
    rows = articles.values_list("pk", "pmid", "doi", "opaque")
    if phase.corpus.blind:
        return {pk: opaque for pk, _, _, opaque in rows}
    return {pk: str(pmid or doi or opaque) for pk, pmid, doi, opaque in rows}
