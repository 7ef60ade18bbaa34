"""Articles with what everybody may know of them, read in batches and given away as a stream.

Nothing here depends on who asks: articles of blind test sets and what is not public stay out for everybody, so that an
answer may be kept by any cache.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby, islice
from operator import itemgetter

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, QuerySet
from django.db.models.expressions import RawSQL

from annotations.collation import Named, named_today
from annotations.formats.collected import AnnotatedArticle, NamedProducer, Statement, renewed
from annotations.formats.exports import Export
from annotations.formats.pubmed import Passage
from annotations.formats.read_article import Name
from annotations.kinds import Finding, Kind
from annotations.models import Annotation, Article, Entry, Result
from annotations.querysets import FIELDS
from bcms.api.articles import identifier_of
from bcms.lib.version import VERSION
from bcms.visibility import articles_seen_by, producers_seen_by

EVERYBODY = AnonymousUser()
BATCH = 500
ROWS = 2000


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Only what the server with this slug says, only this kind; everything when they are empty."""

    server: str = ""
    kind: Kind | None = None


@dataclass(frozen=True, slots=True)
class ResultRow:
    id: int
    article: int
    producer: int
    kind: Kind
    stated_version: str


def public_articles() -> QuerySet[Article]:
    return articles_seen_by(EVERYBODY)


def heard(narrowing: Narrowing) -> dict[int, NamedProducer]:
    """Who is heard, by id: 1 query."""
    producers = producers_seen_by(EVERYBODY)
    if narrowing.server:
        producers = producers.filter(queue__server__slug=narrowing.server)
    rows = producers.order_by("pk").values_list("pk", "name", "sort", "queue__server__slug")
    return {pk: NamedProducer(name, sort, server or "") for pk, name, sort, server in rows}


def keys_of(articles: QuerySet[Article]) -> Iterator[int]:
    """The ids of the articles in their order, from a cursor that the database holds: 1 query."""
    return articles.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=BATCH)


def collected(keys: Iterable[int], narrowing: Narrowing) -> Iterator[AnnotatedArticle]:
    """The articles with what is said of their present text, in the order of their ids, which keys must be in.

    1 query, and 6 for every BATCH articles; in memory are the texts of so many, and the findings of one.
    """
    producers = heard(narrowing)
    remaining = iter(keys)
    while batch := list(islice(remaining, BATCH)):
        yield from _of_batch(batch, producers, narrowing)


def _of_batch(
    keys: Sequence[int], producers: Mapping[int, NamedProducer], narrowing: Narrowing
) -> Iterator[AnnotatedArticle]:
    articles = list(public_articles().filter(pk__in=keys).order_by("pk").defer("text"))
    current = _current(articles, producers, narrowing)
    results = [ResultRow(pk, article, who, Kind(kind), version) for pk, article, who, kind, version in current]
    # One array: thousands of numbers one by one cost more than the rows.
    those = RawSQL("SELECT unnest(%s::bigint[])", [[result.id for result in results]])
    annotations = Annotation.objects.filter(result__in=those)
    findings = _findings(annotations, {result.id: result.kind for result in results}, _renamed(annotations))
    said: dict[int, list[ResultRow]] = {}
    for result in results:
        said.setdefault(result.article, []).append(result)
    found = next(findings, None)
    for article in articles:
        own: Mapping[int, Sequence[Finding]] = {}
        if found is not None and found[0] == article.pk:
            own, found = found[1], next(findings, None)
        yield annotated(article, _statements(said.get(article.pk, ()), own, producers))


def _current(
    articles: Sequence[Article], producers: Mapping[int, NamedProducer], narrowing: Narrowing
) -> QuerySet[Result, tuple[int, int, int, str, str]]:
    rows = Result.objects.filter(
        article__in=[article.pk for article in articles],
        text_version=F("article__text_version"),
        producer__in=list(producers),
        superseded__isnull=True,
    )
    if narrowing.kind:
        rows = rows.filter(kind=narrowing.kind)
    return rows.values_list("pk", "article_id", "producer_id", "kind", "stated_version")


def _renamed(named: QuerySet[Annotation]) -> dict[tuple[str, str], Named]:
    """The entries that these annotations name and that mean another one today: 3 queries."""
    identifiers = named.exclude(identifier="").values_list("database", "identifier").distinct()
    partners = named.exclude(partner="").values_list("database", "partner").distinct()
    wanted = set(identifiers) | set(partners)
    entries = Entry.objects.filter(identifier__in={name for _, name in wanted}, successors__len=1)
    rows = entries.values_list("database", "identifier", "successors")
    return {
        (database, name): Named(database, name, successors=tuple(successors))
        for database, name, successors in rows
        if (database, name) in wanted
    }


def _findings(
    annotations: QuerySet[Annotation], kinds: Mapping[int, Kind], entries: Mapping[tuple[str, str], Named]
) -> Iterator[tuple[int, dict[int, list[Finding]]]]:
    """For each article that has findings, in the order of their ids: {id of the Result: its findings}."""
    rows = annotations.order_by("result__article_id", "result_id", "pk")
    values = rows.values_list("result__article_id", "result_id", *FIELDS).iterator(chunk_size=ROWS)
    for article, of_article in groupby(values, key=itemgetter(0)):
        yield (
            article,
            {
                result: [_today(Finding(kinds[result], *fields), entries) for _, _, *fields in own]
                for result, own in groupby(of_article, key=itemgetter(1))
            },
        )


def _today(finding: Finding, entries: Mapping[tuple[str, str], Named]) -> Finding:
    return renewed(named_today(finding, entries), finding) if entries and finding.identifier else finding


def _statements(
    results: Sequence[ResultRow], findings: Mapping[int, Sequence[Finding]], producers: Mapping[int, NamedProducer]
) -> list[Statement]:
    """By name of producer, version and kind, all of a producer in one version together."""

    def place(own: ResultRow) -> tuple[str, int, str, int]:
        return producers[own.producer].name, own.producer, own.stated_version, list(Kind).index(own.kind)

    def by(own: ResultRow) -> NamedProducer:
        return replace(producers[own.producer], stated_version=own.stated_version)

    return [Statement(by(own), own.kind, findings.get(own.id, ())) for own in sorted(results, key=place)]


def annotated(article: Article, statements: Sequence[Statement]) -> AnnotatedArticle:
    return AnnotatedArticle(
        identifier_of(article),
        Name(article.pmid, article.pmcid, article.doi),
        [Passage(str(passage["type"]), str(passage["text"])) for passage in article.passages],
        article.text_version,
        article.journal,
        article.year,
        [str(author) for author in article.metadata.get("authors", ())],
        statements,
    )


def tag_of(article: Article, export: Export, narrowing: Narrowing) -> str:
    """Changes whenever what is exported of the article does: 1 query."""
    state = (VERSION, export.slug, article.pk, article.version, narrowing, heard(narrowing))
    return f'W/"{sha256(repr(state).encode()).hexdigest()[:32]}"'
