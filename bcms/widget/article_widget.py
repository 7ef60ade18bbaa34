"""What the widget shows of an article: title and abstract with the heat map of what everybody may see."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.safestring import SafeString

from annotations.articles.models import Article
from annotations.articles.queries import filter_articles_by_pmid_or_opaque
from annotations.results.collation import GroupOrder
from annotations.results.queries import list_current_results_on_any_text
from bcms.article_annotations.article_lookup import find_article_of_merged_snapshot
from bcms.article_page.collated_article import CollatedArticle, load_collated_article
from bcms.article_page.open_annotations.entity_types import MentionType, merge_other_types
from bcms.article_page.reader_choice import ReaderChoice
from bcms.article_page.server_status import list_queues_with_last_calls
from bcms.article_page.text.heat_legend import list_heat_levels
from bcms.article_page.text.marked_text import render_pieces_with_mention_links
from evaluation.visibility import ANONYMOUS_READER, list_visible_articles, list_visible_producers

SHOWN_PASSAGES = frozenset({"title", "abstract"})


@dataclass(frozen=True, slots=True)
class ArticleWidget:
    """url: of the article's page. passages: types and marked texts. legend: the heat levels with their meaning.

    mention_types: those whose colours the passages have, none for a text with mentions of genes alone.
    """

    article: Article
    url: str
    passages: Sequence[tuple[str, SafeString]]
    legend: Sequence[tuple[int, str]]
    mention_types: Sequence[MentionType]
    servers: int


def find_public_article(ident: str) -> Article | None:
    """The article with this PMID or opaque id that everybody sees, None if there is none."""
    return filter_articles_by_pmid_or_opaque(list_visible_articles(ANONYMOUS_READER), ident).first()


def find_public_article_of_merged_snapshot(opaque_id: str) -> Article | None:
    """The article that everybody sees and that a snapshot with this id became part of, None if there is none."""
    article = find_article_of_merged_snapshot(opaque_id)
    return article and list_visible_articles(ANONYMOUS_READER).filter(pk=article.pk).first()


def build_article_widget(article: Article, ident: str) -> ArticleWidget:
    """The widget of a public article: the same for everybody."""
    reading = _load_public_annotations(article)
    url = reverse("article", args=[ident])
    query = f"{url}?kind=mention&mention="
    passages = [passage for passage in reading.passages if passage.type in SHOWN_PASSAGES]
    looks = {piece.look for passage in passages for piece in passage.pieces if piece.mention}
    return ArticleWidget(
        article=article,
        url=url,
        passages=[(passage.type, render_pieces_with_mention_links(passage.pieces, query)) for passage in passages],
        legend=list_heat_levels(reading.looked),
        mention_types=merge_other_types(each for each in reading.mention_types if each.look in looks),
        servers=reading.looked,
    )


def _load_public_annotations(article: Article) -> CollatedArticle:
    producers = list_visible_producers(ANONYMOUS_READER)
    sources = list_queues_with_last_calls(article, producers, ANONYMOUS_READER)
    latest = list_current_results_on_any_text(article, [source.producer for source in sources])
    results = [result for result in latest if result.text_version == article.text_version]
    choice = ReaderChoice(kind=None, order=GroupOrder.SERVERS, mention=None)
    return load_collated_article(article, sources, results, choice, {})
