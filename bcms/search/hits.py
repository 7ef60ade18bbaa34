"""Articles for a list, each with a summary of the public servers' annotations."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from annotations.results.models import ArticleSummary
from annotations.search.article_search import UNDECIDED
from annotations.search.queries import HIGHLIGHT_END, HIGHLIGHT_START, add_highlighted_titles

LARGE_ARTICLE_FIELDS = ("text", "passages", "metadata", "standing__named", "standing__terms", "standing__producers")


@dataclass(frozen=True, slots=True)
class ServerOpinion:
    """Summary of the servers' annotations of an article; balance and disagreement in percent, None without any.

    likely: whether the article is about protein interactions (PPI), as text. annotated: whether any producer annotated
    it, such as an author.
    """

    servers: int
    yes: int
    no: int
    balance: int | None
    disagreement: int | None
    likely: str = ""
    annotated: bool = False


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One article in a list; title in parts: (text, whether it matches the search)."""

    ident: str
    title: list[tuple[str, bool]]
    journal: str
    year: int | None
    opinion: ServerOpinion


def list_search_hits(article_pks: Sequence[int], words_to_highlight: str = "") -> list[SearchHit]:
    """The articles with these primary keys in their order, the words highlighted in the titles: one query."""
    articles = Article.objects.filter(pk__in=article_pks).select_related("standing").defer(*LARGE_ARTICLE_FIELDS)
    articles = articles.annotate(producer_count=Coalesce("standing__producers__len", 0))
    articles = (
        add_highlighted_titles(articles, words_to_highlight)
        if words_to_highlight
        else articles.annotate(highlighted=KT("passages__0__text"))
    )
    by_key = {a.pk: _build_search_hit(a, getattr(a, "highlighted", None) or "") for a in articles}
    return [by_key[key] for key in article_pks if key in by_key]


def _build_search_hit(article: Article, title: str) -> SearchHit:
    opinion = _summarize_server_opinion(getattr(article, "standing", None), getattr(article, "producer_count", 0))
    return SearchHit(
        format_pmid_or_opaque(article),
        _split_highlighted_title(title),
        article.journal,
        article.year,
        opinion,
    )


def _summarize_server_opinion(summary: ArticleSummary | None, producer_count: int) -> ServerOpinion:
    """producer_count: the number of all producers that annotated it."""
    if summary is None:
        return ServerOpinion(0, 0, 0, None, None)
    balance, disagreement = (
        None if share is None else round(100 * share) for share in (summary.balance, summary.disagreement)
    )
    likely = _format_likelihood(summary)
    return ServerOpinion(summary.servers, summary.yes, summary.no, balance, disagreement, likely, producer_count > 0)


def _format_likelihood(summary: ArticleSummary) -> str:
    """As the filter of the search has it, which finds exactly the articles that are probably about PPI."""
    if summary.balance is None:
        return ""
    if summary.yes == summary.no or summary.balance == UNDECIDED:
        return "undecided"
    return "probably PPI" if summary.balance > UNDECIDED else "probably not PPI"


def _split_highlighted_title(title: str) -> list[tuple[str, bool]]:
    """Split a title at the marks around its matches: (text, whether it is a match), without empty parts."""
    pieces = [piece.partition(HIGHLIGHT_END) for piece in title.split(HIGHLIGHT_START)]
    parts = [(pieces[0][0], False)]
    for match, _, rest in pieces[1:]:
        parts += [(match, True), (rest, False)]
    return [(text, is_match) for text, is_match in parts if text]
