"""Articles that were read from a file become Articles, all of them in one commit or none.

An article is known by its PMID, else its PMCID, else its DOI in whatever case; one without any of them by its very
text. The same one twice changes nothing. A changed text raises text_version, so that earlier Results stay with the text
they were made of; but a mere title with abstract never takes the place of a full text. Of names, journal and year only
those that were missing are taken: PubMed knows them better.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import OperationalError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Upper

from annotations.citation_storing import LONGEST_JOURNAL, ImportCounts, alone, content_hash
from annotations.formats.findings import findings_of, with_all
from annotations.formats.pubmed import Passage
from annotations.formats.read_article import Name, ReadArticle
from annotations.importing import LIMIT_EXCEEDED, TOO_MANY_WORDS
from annotations.kinds import Finding, Kind
from annotations.models import Article, Producer
from annotations.older_texts import Text, keep
from annotations.querysets import current_results
from annotations.querysets import findings_of as stored_findings
from annotations.storing import store_results

# More passages than a title and an abstract.
ABSTRACT_ONLY = 2
LONGEST_NAME = 200
FIELDS = ("pmid", "pmcid", "doi", "passages", "text", "text_version", "content_hash", "journal", "year", "metadata")


class StoringError(Exception):
    """Nothing of the file was stored; the text says why and what to do."""


class HiddenArticleError(StoringError):
    """The file has an article that is in the database, but not for the eyes of who brings it."""

    def __init__(self) -> None:
        super().__init__("An article of this file is part of a test set that you do not organize: leave it out.")


@dataclass(frozen=True, slots=True)
class Stored:
    """articles: for each that was read, in the same order, and which of them are new and changed, by their keys; apart:
    those whose annotations were left out, because the database has another text of them; results: how many Results were
    stored."""

    articles: Sequence[Article]
    counts: ImportCounts
    new: frozenset[int]
    changed: frozenset[int]
    results: int = 0
    apart: Sequence[Article] = ()


def store_articles(
    read: Sequence[ReadArticle], producer: Producer | None = None, seen: QuerySet[Article] | None = None
) -> Stored:
    """Store articles and, under the name of the producer if there is one, what the file says of them.

    StoringError when one of them is known, but not among those that may be `seen`, or the database cannot take it.
    """
    try:
        with transaction.atomic():
            return _store(read, producer, seen)
    except OperationalError as error:
        if getattr(error.__cause__, "pgcode", None) != LIMIT_EXCEEDED:
            raise
        raise StoringError(TOO_MANY_WORDS) from error


def _store(read: Sequence[ReadArticle], producer: Producer | None, seen: QuerySet[Article] | None) -> Stored:
    alone(exclusive=True)
    known = _Known(read)
    if seen is not None and seen.filter(pk__in=known.keys).count() < len(known.keys):
        raise HiddenArticleError
    articles = [known.taken(own) for own in read]
    changed = known.save()
    stored = Stored(articles, known.counts(changed), frozenset(own.pk for own in known.new), frozenset(changed))
    if producer is None:
        return stored
    results, apart = _annotate(read, articles, producer)
    return replace(stored, results=results, apart=apart)


def producer_of(name: str, sort: str) -> Producer:
    """The producer of this name and sort, AUTHOR or GOLD, made if it is new; only an author's are public at once."""
    known = Producer.objects.filter(name=name[:LONGEST_NAME], sort=sort).order_by("pk").first()
    public = sort == Producer.Sort.AUTHOR
    return known or Producer.objects.create(name=name[:LONGEST_NAME], sort=sort, public=public)


class _Known:
    """The articles of the database that the ones that were read may be, and those that are new."""

    def __init__(self, read: Sequence[ReadArticle]) -> None:
        self.by_name: dict[object, Article] = {}
        self.new: list[Article] = []
        self.changed: dict[int, Article] = {}
        self.before: dict[int, dict[str, Any]] = {}
        articles = Article.objects.alias(upper_doi=Upper("doi")).filter(_wanted(read))
        for article in articles.select_for_update().order_by("pk"):
            self.note(article)
            self.before[article.pk] = _state(article)
        self.keys = set(self.before)
        self.read = len(read)

    def note(self, article: Article) -> None:
        for key in _keys(Name(article.pmid, article.pmcid, article.doi), article.content_hash):
            self.by_name.setdefault(key, article)

    def taken(self, read: ReadArticle) -> Article:
        """The article that this is, brought up to date, or a new one; nothing is saved yet."""
        digest = content_hash(read.passages)
        article = next(
            (found for key in _keys(read.name, digest) if (found := self.by_name.get(key)) and _fits(found, read.name)),
            None,
        )
        if article is None:
            article = Article(text_version=1)
            self.new.append(article)
        _fill(article, read, digest)
        if article.pk is not None:
            self.changed[article.pk] = article
        self.note(article)
        return article

    def save(self) -> list[int]:
        """The keys of those that were there and changed."""
        changed = [article for article in self.changed.values() if _state(article) != self.before[article.pk]]
        for article in changed:
            # However often the file changes it, what was there before has been replaced once.
            before = self.before[article.pk]
            article.text_version = before["text_version"] + (article.content_hash != before["content_hash"])
            article.version += 1
        keep(self.rewritten(changed))
        Article.objects.bulk_create(self.new, batch_size=500)
        Article.objects.bulk_update(changed, [*FIELDS, "version"], batch_size=500)
        return [article.pk for article in changed]

    def rewritten(self, changed: Iterable[Article]) -> Iterator[Text]:
        """The texts that the database has of those that get another."""
        for article in changed:
            before = self.before[article.pk]
            if article.content_hash != before["content_hash"]:
                yield Text(article.pk, before["text_version"], json.dumps(before["passages"], ensure_ascii=False))

    def counts(self, changed: Sequence[int]) -> ImportCounts:
        unchanged = len(self.changed) - len(changed)
        repeated = self.read - len(self.new) - len(self.changed)
        return ImportCounts(new=len(self.new), changed=len(changed), unchanged=unchanged, repeated=repeated)


def _wanted(read: Sequence[ReadArticle]) -> Q:
    nameless = [content_hash(own.passages) for own in read if not own.name]
    return (
        Q(pmid__in={own.name.pmid for own in read if own.name.pmid})
        | Q(pmcid__in={own.name.pmcid for own in read if own.name.pmcid})
        | Q(upper_doi__in={own.name.doi.upper() for own in read if own.name.doi})
        | Q(pmid__isnull=True, pmcid="", doi="", content_hash__in=nameless)
    )


def _keys(name: Name, digest: str) -> list[object]:
    keys: list[object] = [key for key in (name.pmid, name.pmcid, ("doi", name.doi.upper()) if name.doi else "") if key]
    return keys or [("text", digest)]


def _fits(article: Article, name: Name) -> bool:
    """Whether two names can be of one article: a PMID is of one alone."""
    return not (article.pmid and name.pmid and article.pmid != name.pmid)


def _state(article: Article) -> dict[str, Any]:
    return {field: getattr(article, field) for field in FIELDS}


def _fill(article: Article, read: ReadArticle, digest: str) -> None:
    if article.content_hash != digest and not _keeps(article, read.passages):
        article.passages = [{"type": passage.type, "text": passage.text} for passage in read.passages]
        article.text = read.text
        article.content_hash = digest
    article.pmid = article.pmid or read.name.pmid
    article.pmcid = article.pmcid or read.name.pmcid
    article.doi = article.doi or read.name.doi
    article.journal = article.journal or read.journal[:LONGEST_JOURNAL]
    article.year = article.year or read.year
    article.metadata = {**_metadata(read), **article.metadata}


def _keeps(article: Article, passages: Sequence[Passage]) -> bool:
    return bool(article.passages) and len(article.passages) > ABSTRACT_ONLY >= len(passages)


def _metadata(read: ReadArticle) -> dict[str, object]:
    given = {
        "authors": list(read.authors),
        "volume": read.volume,
        "issue": read.issue,
        "pages": read.pages,
        "source_id": read.source_id,
    }
    return {key: value for key, value in given.items() if value}


def _annotate(
    read: Sequence[ReadArticle], articles: Sequence[Article], producer: Producer
) -> tuple[int, Sequence[Article]]:
    """The number of Results stored, and the articles whose text is not the one that was annotated."""
    stored = 0
    apart: list[Article] = []
    for own, article, found in zip(read, articles, with_all([findings_of(own) for own in read]), strict=True):
        if article.text != own.text and not article.text.startswith(f"{own.text}\n"):
            apart.append(article)
        elif new := _unsaid(article, producer, found):
            stored += len(store_results(article, producer, new))
    return stored, apart


def _unsaid(
    article: Article, producer: Producer, found: Mapping[Kind, Sequence[Finding]]
) -> dict[Kind, Sequence[Finding]]:
    """What the producer does not say of this text already."""
    current = current_results(article, [producer.pk])
    rows = stored_findings(current)
    said = {result.kind: set(rows[result.id]) for result in current}
    return {kind: findings for kind, findings in found.items() if said.get(kind) != set(findings)}
