"""The input of a trial: the server's fields and the article to send."""

import re
from typing import Any

from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.results.models import ArticleSummary
from evaluation.visibility import ANONYMOUS_READER, list_visible_articles
from servers.registry import trials
from servers.registry.models import Server, Trial

PMID = re.compile(r"[0-9]{1,9}", re.ASCII)
GENE_PREFIXES = ("uniprot:", "ncbigene:")
MOST_SUMMARIES = 50


def build_registration_fields(trial: Trial) -> dict[str, Any]:
    """The data of a registration form for the server of a trial."""
    article = {"pmid": str(trial.article.pmid)} if trial.article and trial.article.pmid else {}
    return {**trial.fields, **article, "team": trial.team_id}


class UnknownArticleError(Exception):
    """There is no public article with the requested PMID; the message says so."""


def find_trial_article(pmid: str) -> Article | None:
    """The public article with this PMID; without one, an article in which servers found genes. None if there is none.

    It always has a PMID, so that a server that looks articles up in PubMed finds it. Raises UnknownArticleError.
    """
    articles = list_visible_articles(ANONYMOUS_READER).filter(pmid__isnull=False)
    if not pmid:
        return _find_article_with_genes(articles)
    article = articles.filter(pmid=int(pmid)).first() if PMID.fullmatch(pmid) else None
    if article is None:
        raise UnknownArticleError(
            f"There is no article PMID {pmid} on this site. Enter the PMID of an article that is shown here, or leave "
            "the field empty."
        )
    return article


def _find_article_with_genes(articles: QuerySet[Article]) -> Article | None:
    """Of the articles that most servers annotated, the first with a gene or protein; else the newest."""
    summaries = ArticleSummary.objects.filter(article__in=articles, servers__gt=0).order_by("-servers", "-article")
    for article_id, identifiers in summaries.values_list("article", "named")[:MOST_SUMMARIES]:
        if any(identifier.startswith(GENE_PREFIXES) for identifier in identifiers):
            return articles.get(pk=article_id)
    return articles.order_by("-pmid").first()


def copy_trial_fields(server: Server) -> dict[str, Any]:
    """The fields of a registered server that a trial uses."""
    return {name: getattr(server, name) for name in ("name", *trials.CALL_FIELDS, *trials.LATER_CALL_FIELDS)}
