"""Articles with their public annotations, read in batches for a stream.

Nothing here depends on the user: articles of blind test sets and annotations that are not public are left out for
everyone, so that any cache may keep a response. Unreviewed servers and challenges are included if the address
says so.
bcms/article_annotations/current_annotations.py reads the same of one article; here it is done for many articles in
little memory.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby, islice
from operator import itemgetter

from django.db.models import F, Func, Q, QuerySet, TextField
from django.db.models.expressions import RawSQL

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    Interactor,
    ProducerResult,
    attach_reported_identifiers_if_updated,
)
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.exports import ExportFileFormat
from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.models import Entry
from annotations.identifiers.name_links import replace_outdated_identifiers
from annotations.results.annotation_rows import ANNOTATION_ROW_FIELDS, parse_stored_curie, read_annotation_row
from annotations.results.models import Annotation, Result
from annotations.schema import AnnotationData, Kind
from bcms.lib.version import VERSION
from evaluation.visibility import ANONYMOUS_READER, list_visible_articles, list_visible_producers

ARTICLES_PER_BATCH = 500
ROWS_PER_CHUNK = 2000


@dataclass(frozen=True, slots=True)
class ExportFilter:
    """Export only annotations by the server with this slug, and only of this kind; empty means all.

    unreviewed: include servers and challenges that nobody has reviewed.
    """

    server: str = ""
    kind: Kind | None = None
    unreviewed: bool = False


@dataclass(frozen=True, slots=True)
class ExportedResult:
    id: int
    article: int
    producer: int
    kind: Kind
    stated_version: str


def list_public_articles() -> QuerySet[Article]:
    return list_visible_articles(ANONYMOUS_READER)


def _load_exported_producers(export_filter: ExportFilter) -> dict[int, ExportedProducer]:
    """The public producers that pass the filter, by id: 1 query."""
    producers = list_visible_producers(ANONYMOUS_READER, with_unreviewed=export_filter.unreviewed)
    if export_filter.server:
        producers = producers.filter(queue__server__slug=export_filter.server)
    rows = producers.order_by("pk").values_list("pk", "name", "sort", "queue__server__slug")
    return {pk: ExportedProducer(name, producer_type, server or "") for pk, name, producer_type, server in rows}


def iter_sorted_article_pks(articles: QuerySet[Article]) -> Iterator[int]:
    """The ids of the articles in ascending order, from a server-side cursor: 1 query."""
    return articles.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=ARTICLES_PER_BATCH)


def iter_public_articles_for_export(
    sorted_article_pks: Iterable[int], export_filter: ExportFilter
) -> Iterator[AnnotatedArticle]:
    """The articles with the annotations of their current text, in the order of their ids; sorted_article_pks must be
    sorted.

    1 query, and at most 8 per batch of ARTICLES_PER_BATCH. Memory holds the texts of one batch and the annotations of
    one article.
    """
    yield from iter_public_articles_with_producers(
        sorted_article_pks, _load_exported_producers(export_filter), export_filter.kind
    )


def iter_public_articles_with_producers(
    sorted_article_pks: Iterable[int], producers: Mapping[int, ExportedProducer], kind: Kind | None = None
) -> Iterator[AnnotatedArticle]:
    """The articles with the annotations by these producers, given by id, whether they are public or not.

    At most 8 queries per batch of ARTICLES_PER_BATCH. kind: None for all.
    """
    remaining = iter(sorted_article_pks)
    while batch := list(islice(remaining, ARTICLES_PER_BATCH)):
        yield from _iter_batch_articles(batch, producers, kind)


def _iter_batch_articles(
    keys: Sequence[int], producers: Mapping[int, ExportedProducer], kind: Kind | None
) -> Iterator[AnnotatedArticle]:
    articles = list(list_public_articles().filter(pk__in=keys).order_by("pk").defer("text"))
    rows = _list_batch_results(articles, producers, kind)
    results = [
        ExportedResult(pk, article, producer, Kind(kind), version) for pk, article, producer, kind, version in rows
    ]
    results_by_article: dict[int, list[ExportedResult]] = {}
    for result in results:
        results_by_article.setdefault(result.article, []).append(result)
    # One array, as thousands of single parameters would take longer than reading the rows.
    result_ids = RawSQL("SELECT unnest(%s::bigint[])", [[result.id for result in results]])
    annotations = Annotation.objects.filter(result__in=result_ids)
    annotated = _iter_article_annotations(
        annotations, {result.id: result.kind for result in results}, _load_renamed_entries(annotations)
    )
    interactors = _load_interactors(annotations)
    following = next(annotated, None)
    for article in articles:
        by_result: Mapping[int, Sequence[AnnotationData]] = {}
        if following is not None and following[0] == article.pk:
            by_result, following = following[1], next(annotated, None)
        article_results = results_by_article.get(article.pk, ())
        producer_results = _build_producer_results(article_results, by_result, producers)
        yield _build_annotated_article(article, producer_results, interactors)


def _list_batch_results(
    articles: Sequence[Article], producers: Mapping[int, ExportedProducer], kind: Kind | None
) -> QuerySet[Result, tuple[int, int, int, str, str]]:
    rows = Result.objects.filter(
        article__in=[article.pk for article in articles],
        text_version=F("article__text_version"),
        producer__in=list(producers),
        superseded__isnull=True,
    )
    if kind:
        rows = rows.filter(kind=kind)
    return rows.values_list("pk", "article_id", "producer_id", "kind", "stated_version")


def _load_renamed_entries(annotations: QuerySet[Annotation]) -> dict[tuple[str, str], NamedEntry]:
    """The entries in these annotations that the database replaced by one other entry: 3 queries."""
    identifiers = annotations.exclude(identifier="").values_list("database", "identifier")
    partners = annotations.exclude(partner="").values_list("database", "partner")
    each_curie = Func("curies", function="unnest", output_field=TextField())
    curies = annotations.exclude(curies=None).values_list(each_curie, flat=True).distinct()
    keys = {*identifiers.union(partners), *map(parse_stored_curie, curies)}
    entries = Entry.objects.filter(identifier__in={name for _, name in keys}, successors__len=1)
    rows = entries.values_list("database", "identifier", "successors")
    return {
        (database, name): NamedEntry(database, name, successors=tuple(successors))
        for database, name, successors in rows
        if (database, name) in keys
    }


def _load_interactors(annotations: QuerySet[Annotation]) -> dict[tuple[str, str], Interactor]:
    """What is known about the identifiers in these pairs, and about those that replaced them: 2 queries at most."""
    pairs = annotations.exclude(partner="").values_list("database", "identifier", "partner").distinct()
    names = {name for _, *identifiers in pairs for name in identifiers}
    successors = Entry.objects.filter(identifier__in=names, successors__len=1).values("successors__0")
    entries = Entry.objects.filter(Q(identifier__in=names) | Q(identifier__in=successors))
    rows = entries.values_list("database", "identifier", "symbol", "name", "taxon")
    return {
        (database, identifier): Interactor(symbol, name, taxon)
        for database, identifier, symbol, name, taxon in (rows if names else ())
    }


def _iter_article_annotations(
    annotations: QuerySet[Annotation], kinds: Mapping[int, Kind], entries: Mapping[tuple[str, str], NamedEntry]
) -> Iterator[tuple[int, dict[int, list[AnnotationData]]]]:
    """For each article with annotations, in the order of ids: (article id, {Result id: its annotations})."""
    rows = annotations.order_by("result__article_id", "result_id", "pk")
    values = rows.values_list("result__article_id", "result_id", *ANNOTATION_ROW_FIELDS)
    for article, article_rows in groupby(values.iterator(chunk_size=ROWS_PER_CHUNK), key=itemgetter(0)):
        yield (
            article,
            {
                result: [
                    _apply_current_identifier(read_annotation_row(kinds[result], *row), entries)
                    for _, _, *row in result_rows
                ]
                for result, result_rows in groupby(article_rows, key=itemgetter(1))
            },
        )


def _apply_current_identifier(
    annotation: AnnotationData, entries: Mapping[tuple[str, str], NamedEntry]
) -> AnnotationData:
    return (
        attach_reported_identifiers_if_updated(replace_outdated_identifiers(annotation, entries), annotation)
        if entries and (annotation.identifier or annotation.identifiers or annotation.relation)
        else annotation
    )


def _build_producer_results(
    results: Sequence[ExportedResult],
    annotations: Mapping[int, Sequence[AnnotationData]],
    producers: Mapping[int, ExportedProducer],
) -> list[ProducerResult]:
    """The results of one article with their annotations, by name of producer, version and kind."""

    def sort_key(result: ExportedResult) -> tuple[str, int, str, int]:
        return producers[result.producer].name, result.producer, result.stated_version, list(Kind).index(result.kind)

    return [
        ProducerResult(
            replace(producers[result.producer], stated_version=result.stated_version),
            result.kind,
            annotations.get(result.id, ()),
        )
        for result in sorted(results, key=sort_key)
    ]


def _build_annotated_article(
    article: Article, results: Sequence[ProducerResult], interactors: Mapping[tuple[str, str], Interactor]
) -> AnnotatedArticle:
    return AnnotatedArticle(
        format_pmid_or_opaque(article),
        ArticleIds(article.pmid, article.pmcid, article.doi),
        [TextPassage(str(passage["type"]), str(passage["text"])) for passage in article.passages],
        article.text_version,
        article.journal,
        article.year,
        [str(author) for author in article.metadata.get("authors", ())],
        results,
        interactors,
    )


def compute_export_etag(article: Article, export_format: ExportFileFormat, export_filter: ExportFilter) -> str:
    """The ETag of an article's export, which changes with its content: 1 query."""
    state = (
        VERSION,
        export_format.slug,
        article.pk,
        article.version,
        export_filter,
        _load_exported_producers(export_filter),
    )
    return f'W/"{sha256(repr(state).encode()).hexdigest()[:32]}"'
