"""The articles of a phase: their names, and which of them are scored."""

from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.articles.queries import annotate_recorded_ids
from evaluation.challenges.models import ExcludedArticle, Phase


def list_unexcluded_article_names(phase: Phase) -> dict[int, str]:
    """The names of the articles that are scored in a phase, {article id: name}, in the order of the ids.

    A name is the PMID or DOI, in a blind corpus the opaque id. Articles that the organizers excluded are left out.
    One query, or two if the corpus is not loaded.
    """
    excluded = ExcludedArticle.objects.filter(phase=phase)
    articles = Article.objects.filter(corpora=phase.corpus_id).exclude(pk__in=excluded.values("article"))
    return list_opaque_or_public_article_names(phase, articles.order_by("pk"))


def list_opaque_or_public_article_names(phase: Phase, articles: QuerySet[Article]) -> dict[int, str]:
    """The names of these articles in the phase, {article id: name}, in the order of the query."""
    rows = annotate_recorded_ids(articles).values_list("pk", "recorded_pmid", "recorded_doi", "opaque")
    if phase.corpus.blind:
        return {pk: opaque for pk, _, _, opaque in rows}
    return {pk: str(pmid or doi or opaque) for pk, pmid, doi, opaque in rows}
