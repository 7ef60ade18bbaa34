"""What the pages read of articles and annotations, each under its name and with a fixed number of queries."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from operator import or_

from django.contrib.postgres.search import CombinedSearchQuery, SearchHeadline, SearchQuery
from django.db.models import Q, QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Upper

from annotations.accents import without_accents
from annotations.collation import Named
from annotations.greek import in_wanted, spellings
from annotations.kinds import Finding, Kind
from annotations.models import Annotation, Article, Entry, Result
from annotations.pmids import LONGEST_PMID

# Marks around what was found, split off again before anything is shown; characters for private use, so nobody's text.
FOUND, FOUND_END = "\ue000", "\ue001"
FIELDS = (
    "confidence",
    "rank",
    "start",
    "end",
    "text",
    "type",
    "database",
    "identifier",
    "partner",
    "taxon",
    "relevant",
)


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A Result without its annotations; duration in seconds. text_version is the text that it was made on,
    stated_version that of the system which said it, "" when nobody stated it.
    """

    id: int
    kind: Kind
    producer: int
    received: datetime
    duration: float | None
    empty_reason: str
    text_version: int
    stated_version: str


@dataclass(frozen=True, slots=True)
class Description:
    """What helps to choose between entries of one name; each empty when it is not known."""

    location: str = ""
    function: str = ""


def by_identifier(articles: QuerySet[Article], identifier: str) -> QuerySet[Article]:
    """The article of a PMID, or of an opaque id."""
    return articles.filter(**dict([named_by(identifier)]))


def named_by(identifier: str) -> tuple[str, int | str]:
    """The field that has the identifier of an article, and its value there; an opaque id that is none for no article's.

    PostgreSQL takes no NUL, so that what cannot be an identifier is not asked for.
    """
    if re.fullmatch(rf"[0-9]{{1,{LONGEST_PMID}}}", identifier, re.ASCII):
        return "pmid", int(identifier)
    return "opaque", identifier if identifier.isalnum() else ""


def search_query(words: str) -> SearchQuery | CombinedSearchQuery:
    """All the words, "a phrase", one or the other, -without; Greek letters by their names, too, and words with accents
    without them. An accent that is only in the text counts: its words are stored as they are written."""
    spelled = spellings(words)
    plain = [in_wanted(own, without_accents) for own in spelled]
    asked = dict.fromkeys([*spelled, *plain])
    return reduce(or_, (SearchQuery(own, config="english", search_type="websearch") for own in asked))


def with_highlights(articles: QuerySet[Article], words: str) -> QuerySet[Article]:
    """Adds the title with FOUND and FOUND_END around each word that was found."""
    return articles.annotate(
        highlighted=SearchHeadline(
            KT("passages__0__text"),
            search_query(words),
            config="english",
            start_sel=FOUND,
            stop_sel=FOUND_END,
            highlight_all=True,
        )
    )


def current_results(article: Article, producers: Collection[int]) -> list[StoredResult]:
    """The current Results of an article's present text by these producers, in the order they came."""
    latest = latest_results(article, producers)
    return [result for result in latest if result.text_version == article.text_version]


def latest_results(article: Article, producers: Collection[int]) -> list[StoredResult]:
    """The same with those that were made on an older text and not made anew since."""
    rows = Result.objects.filter(article=article, producer__in=producers, superseded__isnull=True)
    return stored_results(rows.order_by("received", "pk"))


def results_on_text(article: Article, producers: Collection[int]) -> list[StoredResult]:
    """The last that each of these producers said of the text that the article has in memory, whatever came later."""
    rows = Result.objects.filter(article=article, producer__in=producers, text_version=article.text_version)
    last = rows.order_by("producer", "kind", "-received", "-pk").distinct("producer", "kind")
    return stored_results(Result.objects.filter(pk__in=last.values("pk")).order_by("received", "pk"))


def stored_results(rows: QuerySet[Result]) -> list[StoredResult]:
    fields = ("id", "kind", "producer_id", "received", "duration", "empty_reason", "text_version", "stated_version")
    return [StoredResult(pk, Kind(kind), *rest) for pk, kind, *rest in rows.values_list(*fields)]


def findings_of(results: Collection[StoredResult]) -> Mapping[int, list[Finding]]:
    """The findings of each Result by its id."""
    kinds = {result.id: result.kind for result in results}
    findings: dict[int, list[Finding]] = defaultdict(list)
    rows = Annotation.objects.filter(result__in=list(kinds)).order_by("pk").values_list("result_id", *FIELDS)
    for result_id, *fields in rows:
        findings[result_id].append(Finding(kinds[result_id], *fields))
    return findings


def named_entries(identifiers: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Named]:
    """What the local table of entries knows of (database, identifier) pairs; unknown ones are not in the answer."""
    names: dict[str, set[str]] = defaultdict(set)
    for database, identifier in identifiers:
        names[database].add(identifier)
    if not names:
        return {}
    wanted = Q()
    for database, some in names.items():
        wanted |= Q(database=database, identifier__in=some)
    rows = Entry.objects.filter(wanted).order_by("database", "identifier")
    fields = ("database", "identifier", "name", "symbol", "synonyms", "taxon", "exists", "withdrawn", "successors")
    return {
        (database, identifier): Named(
            database, identifier, name, symbol, tuple(synonyms), taxon, exists, withdrawn, tuple(successors)
        )
        for database, identifier, name, symbol, synonyms, taxon, exists, withdrawn, successors in rows.values_list(
            *fields
        )
    }


def descriptions_of(keys: Collection[tuple[str, str]]) -> dict[tuple[str, str], Description]:
    """Where these entries are and what they do, by database and identifier: 1 query, none without keys."""
    if not keys:
        return {}
    names = {name for _, name in keys}
    rows = Entry.objects.filter(identifier__in=names, database__in={database for database, _ in keys})
    fields = ("database", "identifier", "location", "function")
    found = {(database, name): Description(*rest) for database, name, *rest in rows.values_list(*fields)}
    return {key: found[key] for key in keys if key in found}


def with_successors(entries: Mapping[tuple[str, str], Named]) -> dict[tuple[str, str], Named]:
    """The entries and those that they mean today. One more query, when there are any; what is only known by its old
    name keeps that entry's names.
    """
    old = {key: (key[0], entry.current) for key, entry in entries.items() if entry.current != key[1]}
    if not old:
        return dict(entries)
    known = named_entries(set(old.values()))
    by_old_name = {
        new: replace(entries[key], identifier=new[1], withdrawn=False, successors=()) for key, new in old.items()
    }
    return {**entries, **by_old_name, **{key: entry for key, entry in known.items() if entry.exists}}


def unknown_pmids(pmids: Iterable[int], known: QuerySet[Article]) -> list[int]:
    """Those of the PMIDs that are not among the articles, in their order: 1 query."""
    wanted = list(dict.fromkeys(pmids))
    found = set(known.filter(pmid__in=wanted).values_list("pmid", flat=True))
    return [pmid for pmid in wanted if pmid not in found]


def articles_called(names: Sequence[str], known: QuerySet[Article]) -> dict[str, int]:
    """The key of each article that has one of these names (PMID, DOI, PMCID, opaque id) among those known, by the name
    as it was given: 1 query. A name that is nobody's is not in the answer."""
    numbers = [int(name) for name in names if re.fullmatch(rf"[0-9]{{1,{LONGEST_PMID}}}", name, re.ASCII)]
    upper = [name.upper() for name in names]
    named = Q(pmid__in=numbers) | Q(doi_upper__in=upper) | Q(pmcid__in=upper) | Q(opaque__in=names)
    rows = known.annotate(doi_upper=Upper("doi")).filter(named).order_by("-pk")
    found: dict[str, int] = {}
    for pk, *own in rows.values_list("pk", "pmid", "doi_upper", "pmcid", "opaque"):
        found |= dict.fromkeys((str(name) for name in own if name), pk)
    keys = ((name, found.get(name) or found.get(name.upper())) for name in names)
    return {name: key for name, key in keys if key is not None}
