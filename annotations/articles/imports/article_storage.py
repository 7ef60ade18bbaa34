"""Store the articles of a file as rows of the model Article, all of them in one commit or none.

An article is recognized by its PMID, else its PMCID, else its DOI (in any case); one without these by its exact text.
Storing an article again changes nothing. A changed text raises text_version, so that earlier Results stay with the text
they were made on; but a title with an abstract never replaces a full text. Identifiers, journal and year are only
filled in where they are missing, because those from PubMed are more reliable.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from django.db import OperationalError, transaction
from django.db.models import Q
from django.db.models.functions import Upper

from annotations.articles.imports.citation_import import LIMIT_EXCEEDED, TOO_MANY_WORDS
from annotations.articles.imports.citation_storage import (
    LONGEST_JOURNAL,
    ImportCounts,
    hash_passage_types_and_texts,
    lock_imports_until_commit,
)
from annotations.articles.models import Article
from annotations.articles.text_alignment import (
    MOST_PAIRS_OF_FILE,
    AlignmentBudget,
    align_carried_text,
    has_same_positions,
)
from annotations.articles.text_versions import ArticleTextVersion, store_older_texts_if_annotated
from annotations.formats.annotated_text.article_annotations import add_empty_kinds_of_other_articles
from annotations.formats.annotated_text.open_annotations import build_open_annotations
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle, TextPassage
from annotations.results.changed_texts.moved_annotations import has_words_of_text, move_annotations
from annotations.results.models import Producer
from annotations.results.queries import list_current_results_on_current_text, load_annotations_by_result_id
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind

# An article with more passages than a title and an abstract is a full text.
MOST_ABSTRACT_PASSAGES = 2
STORED_FIELDS = (
    "pmid",
    "pmcid",
    "doi",
    "passages",
    "text",
    "text_version",
    "content_hash",
    "journal",
    "year",
    "metadata",
)


class ArticleStorageError(Exception):
    """Nothing of the file was stored; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class StoredArticles:
    """The result of storing articles.

    articles: the stored article for each article of the file, in the same order. new, changed: primary keys.
    results: the number of Results stored. skipped_annotations: the articles whose annotations were not stored, because
    the stored text differs too much from the text in the file. moved: those whose annotations were moved to the stored
    text, with the annotations whose words it does not have. kept: the articles that the file would have changed.
    """

    articles: Sequence[Article]
    counts: ImportCounts
    new: frozenset[int]
    changed: frozenset[int]
    results: int = 0
    skipped_annotations: Sequence[Article] = ()
    moved: Sequence[tuple[Article, Sequence[AnnotationData]]] = ()
    kept: Sequence[Article] = ()


def store_annotated_articles(
    parsed_articles: Sequence[ParsedArticle], producer: Producer | None = None, *, keeps_stored: bool = False
) -> StoredArticles:
    """Store articles and, if there is a producer, their annotations as Results of it.

    keeps_stored: whether articles that are stored already stay as they are.
    Snapshots of blind corpora are other articles, whatever they were taken of. Raises ArticleStorageError if an article
    is too large for the database.
    """
    with refuse_too_many_words(), transaction.atomic():
        return _store_in_transaction(parsed_articles, producer, keeps_stored=keeps_stored)


@contextmanager
def refuse_too_many_words() -> Iterator[None]:
    """Turn the database's refusal of a text with too many words into an ArticleStorageError."""
    try:
        yield
    except OperationalError as error:
        if getattr(error.__cause__, "pgcode", None) != LIMIT_EXCEEDED:
            raise
        raise ArticleStorageError(TOO_MANY_WORDS) from error


def build_unsaved_article(parsed: ParsedArticle) -> Article:
    """The article of a file as a row that is not stored."""
    article = Article(text_version=1)
    _fill_article(article, parsed, hash_passage_types_and_texts(parsed.passages))
    return article


def _store_in_transaction(
    parsed_articles: Sequence[ParsedArticle], producer: Producer | None, *, keeps_stored: bool
) -> StoredArticles:
    lock_imports_until_commit(exclusive=True)
    known = _KnownArticles(parsed_articles, keeps_stored=keeps_stored)
    articles = [known.match_article(parsed) for parsed in parsed_articles]
    changed = known.save()
    new = frozenset(article.pk for article in known.new)
    counts, kept = known.count_changes(changed), list(known.kept.values())
    stored = StoredArticles(articles, counts, new, frozenset(changed), kept=kept)
    if producer is None:
        return stored
    return _store_annotations(parsed_articles, stored, producer)


class _KnownArticles:
    """The stored articles that the articles of a file may be, which are locked, and the new ones."""

    def __init__(self, parsed_articles: Sequence[ParsedArticle], *, keeps_stored: bool) -> None:
        self.keeps_stored = keeps_stored
        self.kept: dict[int, Article] = {}
        self.by_identity: dict[object, Article] = {}
        self.new: list[Article] = []
        self.changed: dict[int, Article] = {}
        self.before: dict[int, dict[str, Any]] = {}
        articles = Article.objects.alias(upper_doi=Upper("doi")).filter(_candidates_query(parsed_articles))
        for article in articles.filter(blind=False).select_for_update().order_by("pk"):
            self.index_article(article)
            self.before[article.pk] = get_stored_field_values(article)
        self.parsed_count = len(parsed_articles)

    def index_article(self, article: Article) -> None:
        for key in _identity_keys(ArticleIds(article.pmid, article.pmcid, article.doi), article.content_hash):
            self.by_identity.setdefault(key, article)

    def match_article(self, parsed: ParsedArticle) -> Article:
        """The stored article with the new values, or a new article; nothing is saved yet."""
        digest = hash_passage_types_and_texts(parsed.passages)
        candidates = (self.by_identity.get(key) for key in _identity_keys(parsed.ids, digest))
        article = next((each for each in candidates if each and _can_be_same_article(each, parsed.ids)), None)
        if article is None:
            article = Article(text_version=1)
            self.new.append(article)
        _fill_article(article, parsed, digest)
        if article.pk is not None:
            self.changed[article.pk] = article
            if self.keeps_stored:
                self.undo_changes(article)
        self.index_article(article)
        return article

    def undo_changes(self, article: Article) -> None:
        """Give a stored article its values back, and note that it would have changed."""
        before = self.before[article.pk]
        if get_stored_field_values(article) != before:
            self.kept[article.pk] = article
            for name, value in before.items():
                setattr(article, name, value)

    def save(self) -> list[int]:
        """Save everything and return the primary keys of the stored articles that changed."""
        changed = [each for each in self.changed.values() if get_stored_field_values(each) != self.before[each.pk]]
        for article in changed:
            # The file may contain the article several times, but its stored text is replaced only once.
            before = self.before[article.pk]
            article.text_version = before["text_version"] + (article.content_hash != before["content_hash"])
            article.counted_version += 1
        store_older_texts_if_annotated(self.iter_replaced_texts(changed))
        Article.objects.bulk_create(self.new, batch_size=500)
        Article.objects.bulk_update(changed, [*STORED_FIELDS, "counted_version"], batch_size=500)
        return [article.pk for article in changed]

    def iter_replaced_texts(self, changed: Iterable[Article]) -> Iterator[ArticleTextVersion]:
        """The stored texts of the articles that get another text."""
        for article in changed:
            before = self.before[article.pk]
            if article.content_hash != before["content_hash"]:
                yield ArticleTextVersion(
                    article.pk, before["text_version"], json.dumps(before["passages"], ensure_ascii=False)
                )

    def count_changes(self, changed: Sequence[int]) -> ImportCounts:
        unchanged = len(self.changed) - len(changed)
        repeated = self.parsed_count - len(self.new) - len(self.changed)
        return ImportCounts(new=len(self.new), changed=len(changed), unchanged=unchanged, repeated=repeated)


def _candidates_query(parsed_articles: Sequence[ParsedArticle]) -> Q:
    ids = [parsed.ids for parsed in parsed_articles]
    digests = [hash_passage_types_and_texts(parsed.passages) for parsed in parsed_articles if not parsed.ids]
    return (
        Q(pmid__in={each.pmid for each in ids if each.pmid})
        | Q(pmcid__in={each.pmcid for each in ids if each.pmcid})
        | Q(upper_doi__in={each.doi.upper() for each in ids if each.doi})
        | Q(pmid__isnull=True, pmcid="", doi="", content_hash__in=digests)
    )


def _identity_keys(ids: ArticleIds, digest: str) -> list[object]:
    keys: list[object] = [key for key in (ids.pmid, ids.pmcid, ("doi", ids.doi.upper()) if ids.doi else "") if key]
    return keys or [("text", digest)]


def _can_be_same_article(article: Article, ids: ArticleIds) -> bool:
    """Whether the PMIDs do not contradict each other: an article has only one."""
    return not (article.pmid and ids.pmid and article.pmid != ids.pmid)


def get_stored_field_values(article: Article) -> dict[str, Any]:
    """What a file gives an article."""
    return {field: getattr(article, field) for field in STORED_FIELDS}


def _fill_article(article: Article, parsed: ParsedArticle, digest: str) -> None:
    if article.content_hash != digest and not _keeps_full_text(article, parsed.passages):
        article.passages = [{"type": passage.type, "text": passage.text} for passage in parsed.passages]
        article.text = parsed.text
        article.content_hash = digest
    article.pmid = article.pmid or parsed.ids.pmid
    article.pmcid = article.pmcid or parsed.ids.pmcid
    article.doi = article.doi or parsed.ids.doi
    article.journal = article.journal or parsed.journal[:LONGEST_JOURNAL]
    article.year = article.year or parsed.year
    article.metadata = {**_article_metadata(parsed), **article.metadata}


def _keeps_full_text(article: Article, passages: Sequence[TextPassage]) -> bool:
    return bool(article.passages) and len(article.passages) > MOST_ABSTRACT_PASSAGES >= len(passages)


def _article_metadata(parsed: ParsedArticle) -> dict[str, object]:
    metadata = {
        "authors": list(parsed.authors),
        "volume": parsed.volume,
        "issue": parsed.issue,
        "pages": parsed.pages,
        "source_id": parsed.source_id,
    }
    return {key: value for key, value in metadata.items() if value}


def _store_annotations(
    parsed_articles: Sequence[ParsedArticle], stored: StoredArticles, producer: Producer
) -> StoredArticles:
    """Store the annotations of the articles, moved to the stored text where that differs slightly."""
    results, budget = 0, AlignmentBudget(MOST_PAIRS_OF_FILE)
    skipped: list[Article] = []
    moved: list[tuple[Article, Sequence[AnnotationData]]] = []
    annotations_by_article = add_empty_kinds_of_other_articles(
        [build_open_annotations(parsed) for parsed in parsed_articles]
    )
    for parsed, article, in_file in zip(parsed_articles, stored.articles, annotations_by_article, strict=True):
        annotations, not_movable = in_file, dict[Kind, int]()
        if not has_same_positions(parsed.text, article.text):
            alignment = align_carried_text(parsed.text, article.text, budget)
            if alignment is None:
                skipped.append(article)
                continue
            found = {kind: move_annotations(of_kind, alignment) for kind, of_kind in in_file.items()}
            annotations = {kind: each.moved for kind, each in found.items()}
            not_movable = {
                kind: len(each.not_movable)
                for kind, each in found.items()
                if any(map(has_words_of_text, in_file[kind]))
            }
            moved.append((article, [each for of_kind in found.values() for each in of_kind.not_movable]))
        if changed := _filter_changed_kinds(article, producer, annotations):
            results += len(store_results_superseding_earlier(article, producer, changed, moved=not_movable))
    return replace(stored, results=results, skipped_annotations=skipped, moved=moved)


def _filter_changed_kinds(
    article: Article, producer: Producer, annotations_by_kind: Mapping[Kind, Sequence[AnnotationData]]
) -> dict[Kind, Sequence[AnnotationData]]:
    """The kinds whose annotations differ from the producer's current Results on this text."""
    results = list_current_results_on_current_text(article, [producer.pk])
    rows = load_annotations_by_result_id(results)
    current = {result.kind: set(rows[result.id]) for result in results}
    return {kind: rows for kind, rows in annotations_by_kind.items() if current.get(kind) != set(rows)}
