"""Searching articles by words, identifiers, genes, organisms, servers and their agreement, and ordering the results.

Annotations are searched in the ArticleSummary of each article: only public ones, and with a delay of some seconds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from django.contrib.postgres.search import SearchRank, SearchVector
from django.db.models import Expression, F, FloatField, Q, QuerySet, Value
from django.db.models.functions import Cast, Coalesce, Upper
from django.db.models.lookups import GreaterThan

from annotations.articles.models import Article
from annotations.curation.models import PublishedAbstract
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.results.models import Result
from annotations.search.annotation_conditions import (
    AnnotationCondition,
    build_confidence_condition,
    build_entity_condition,
    build_method_condition,
    build_pair_condition,
    build_relation_type_condition,
    build_text_condition,
    build_type_condition,
    filter_articles_by_one_annotation,
)
from annotations.search.entity_curies import list_gene_curies_by_name_or_id, list_organism_curies_by_name_or_taxon
from annotations.search.queries import build_query_matching_spelling_variants, build_web_search_query

UNDECIDED = 0.5
# The expressions of the indexes of ArticleSummary; articles without a value come last.
BALANCE_ORDER = Coalesce("standing__balance", -1.0)
DISAGREEMENT_ORDER = Coalesce("standing__disagreement", -1.0)
NEWEST_ORDER = Coalesce("pmid", 0)
# Do not prefer long texts: divide the rank by 1 + log(number of words).
NORMALIZE_BY_LENGTH = 1
# The number of matching articles to rank for a page, because ranking one takes as long as counting a hundred.
MOST_RANKED = 2000
# The number of matching articles to count for a page.
MOST_COUNTED = 10_000
# Of more articles, those of a page are soon found in the order of the list.
FEW = 1000


class SearchOrder(StrEnum):
    """The orders of search results; the values are public."""

    RELEVANCE = "relevance"
    NEWEST = "newest"
    PPI = "ppi"
    SERVERS = "servers"
    DISAGREEMENT = "disagreement"


@dataclass(frozen=True, slots=True)
class SearchCriteria:
    """What an article must match; empty criteria are ignored.

    words: web search syntax (all words, "a phrase", one or another, -without). names: it has one of these identifiers.
    journal: words of the journal's name. since, until: years. gene, taxon: the name or identifier of one that is
    annotated. producers: at least one of these annotated it; hidden_producers are those of them that are not public and
    so not in summaries. servers: the minimum number of servers that annotated it.
    likely: servers classify it as about protein interactions, and not as many as not. disagreeing: servers agree on
    less than half (ArticleSummary.disagreement). curated: it has a published digital abstract. corpus: the primary key
    of a corpus that contains it.

    For each of the entities (names or identifiers), one annotation matches it, entity_type and mention (its text);
    without entities, one matches the other two. One relation matches pair (two names or identifiers) and relation_type,
    one annotation is of the method. Each has at least this confidence and, if there are producers, is by one of them.
    """

    words: str = ""
    names: tuple[ArticleIds, ...] = ()
    journal: str = ""
    since: int | None = None
    until: int | None = None
    gene: str = ""
    taxon: str = ""
    entity_type: str = ""
    mention: str = ""
    entities: tuple[str, ...] = ()
    pair: tuple[str, str] | None = None
    relation_type: str = ""
    method: str = ""
    confidence: float | None = None
    producers: tuple[int, ...] | None = None
    hidden_producers: tuple[int, ...] = ()
    servers: int = 0
    likely: bool = False
    disagreeing: bool = False
    curated: bool = False
    corpus: int | None = None
    order: SearchOrder | None = None

    @property
    def effective_order(self) -> SearchOrder:
        """The requested order; instead of relevance, the newest first if there are no words."""
        if self.order in (None, SearchOrder.RELEVANCE):
            return SearchOrder.RELEVANCE if self.words else SearchOrder.NEWEST
        return self.order or SearchOrder.NEWEST


def filter_articles(articles: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    """The articles that match all criteria, unordered.

    Executes one query for each name and type that is given.
    """
    for apply_filter in ARTICLE_FILTERS:
        articles = apply_filter(articles, criteria)
    return articles


def build_order_expression(criteria: SearchCriteria) -> Expression | F:
    """The number, never null, by which to order matching articles, highest first."""
    match criteria.effective_order:
        case SearchOrder.RELEVANCE:
            query = build_query_matching_spelling_variants(criteria.words)
            return Cast(SearchRank(F("words"), query, normalization=Value(NORMALIZE_BY_LENGTH)), FloatField())
        case SearchOrder.PPI:
            return BALANCE_ORDER
        case SearchOrder.SERVERS:
            return F("standing__servers")
        case SearchOrder.DISAGREEMENT:
            return DISAGREEMENT_ORDER
        case _:
            return NEWEST_ORDER


def limit_to_newest_when_ranking_relevance(matching: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    """The matching articles to order; for relevance only the newest 2,000, because ranking is slow."""
    if criteria.effective_order != SearchOrder.RELEVANCE:
        return matching
    newest = matching.order_by(NEWEST_ORDER.desc(), "-pk").values("pk")[:MOST_RANKED]
    return Article.objects.filter(pk__in=newest)


def count_articles_to_limit(matching: QuerySet[Article]) -> int:
    """The number of matching articles, or 10,001 if there are more than 10,000."""
    return matching.values("pk")[: MOST_COUNTED + 1].count()


def find_first_if_few(matching: QuerySet[Article], count: int) -> QuerySet[Article]:
    """The matching articles to order; if they are few, by their count, they are found before they are ordered.

    Otherwise, PostgreSQL may read the index that has the order to its end, to find that few or none of all articles
    match: where it does not know that conditions exclude each other, such as two entities that no article shares.
    """
    return matching if count > FEW else Article.objects.filter(pk__in=matching.values("pk")[: FEW + 1])


def _filter_words(articles: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    return articles.filter(words=build_query_matching_spelling_variants(criteria.words)) if criteria.words else articles


def _filter_article_ids(articles: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    if not criteria.names:
        return articles
    return articles.alias(upper_doi=Upper("doi")).filter(
        Q(pmid__in={name.pmid for name in criteria.names if name.pmid})
        | Q(pmcid__in={name.pmcid for name in criteria.names if name.pmcid})
        | Q(upper_doi__in={name.doi.upper() for name in criteria.names if name.doi})
    )


def _filter_journal(articles: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    if not criteria.journal:
        return articles
    words = build_web_search_query(criteria.journal, "simple")
    return articles.alias(journal_words=SearchVector("journal", config="simple")).filter(journal_words=words)


def _filter_years(articles: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    if criteria.since is not None:
        articles = articles.filter(year__gte=criteria.since)
    return articles if criteria.until is None else articles.filter(year__lte=criteria.until)


def _filter_corpus(articles: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    return articles if criteria.corpus is None else articles.filter(corpusarticle__corpus=criteria.corpus)


def _filter_gene(articles: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    return (
        articles.filter(standing__named__overlap=list_gene_curies_by_name_or_id(criteria.gene))
        if criteria.gene
        else articles
    )


def _filter_taxon(articles: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    return (
        articles.filter(standing__named__overlap=list_organism_curies_by_name_or_taxon(criteria.taxon))
        if criteria.taxon
        else articles
    )


def _filter_annotations(articles: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    for conditions in _iter_conditions_for_one_annotation(criteria):
        articles = filter_articles_by_one_annotation(articles, conditions, criteria.producers)
    return articles


def _iter_conditions_for_one_annotation(criteria: SearchCriteria) -> Iterator[list[AnnotationCondition]]:
    """The conditions that one mention, or one annotation of each entity, has to match, those of one relation, and those
    of a method.
    """
    confidence = criteria.confidence
    sure = [] if confidence is None else [build_confidence_condition(confidence)]
    texts = [build_text_condition(criteria.mention)] if criteria.mention else []
    # Conditions of types have the confidence themselves, because summaries know the best of each type.
    types = [build_type_condition(criteria.entity_type, confidence)] if criteria.entity_type else []
    for name_or_id in criteria.entities:
        yield [*types, *texts, build_entity_condition(name_or_id), *sure]
    if texts and not criteria.entities:
        yield [*types, *texts, *sure]
    elif types and not criteria.entities:
        yield types
    relation_types = (
        [build_relation_type_condition(criteria.relation_type, confidence)] if criteria.relation_type else []
    )
    if criteria.pair:
        yield [build_pair_condition(*criteria.pair), *relation_types, *sure]
    elif relation_types:
        yield relation_types
    if criteria.method:
        yield [build_method_condition(criteria.method), *sure]


def _filter_servers(articles: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    if criteria.producers is not None:
        annotated = Q(standing__producers__overlap=list(criteria.producers))
        if criteria.hidden_producers:
            results = Result.objects.filter(producer__in=criteria.hidden_producers, superseded__isnull=True)
            current = results.filter(text_version=F("article__text_version"))
            annotated |= Q(pk__in=current.values("article"))
        articles = articles.filter(annotated)
    return articles.filter(standing__servers__gte=criteria.servers) if criteria.servers else articles


def _filter_curated(articles: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    if not criteria.curated:
        return articles
    published = PublishedAbstract.objects.filter(withdrawn__isnull=True)
    return articles.filter(pk__in=published.values("article"))


def _filter_agreement(articles: QuerySet[Article], criteria: SearchCriteria) -> QuerySet[Article]:
    orders_by_summary = criteria.effective_order in (SearchOrder.PPI, SearchOrder.SERVERS, SearchOrder.DISAGREEMENT)
    if orders_by_summary or criteria.likely or criteria.disagreeing:
        # The indexes of the summaries can only be used for ordering if every article has a summary.
        articles = articles.filter(standing__isnull=False)
    if criteria.likely:
        is_undecided = Q(standing__yes=F("standing__no"))
        articles = articles.filter(~is_undecided, GreaterThan(BALANCE_ORDER, Value(UNDECIDED)))
    return articles.filter(GreaterThan(DISAGREEMENT_ORDER, Value(UNDECIDED))) if criteria.disagreeing else articles


ARTICLE_FILTERS: tuple[Callable[[QuerySet[Article], SearchCriteria], QuerySet[Article]], ...] = (
    *(_filter_words, _filter_article_ids, _filter_journal, _filter_years, _filter_corpus),
    *(_filter_gene, _filter_taxon, _filter_annotations, _filter_servers, _filter_agreement),
    _filter_curated,
)
