"""Import of an uploaded file of articles for the pages and REST."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

from django.db import transaction
from django.db.models import Q

from annotations.articles.article_ids import format_first_items_and_remaining_count
from annotations.articles.imports.article_files import (
    MEGABYTE,
    read_unpacked_non_pubmed_article_file,
    sniff_article_format_unpacking_gzip,
    unpack_if_gzipped_within_limit,
)
from annotations.articles.imports.article_storage import (
    ArticleStorageError,
    build_unsaved_article,
    get_stored_field_values,
    store_annotated_articles,
)
from annotations.articles.imports.citation_import import ImportStoppedError, import_citations_batch_by_batch
from annotations.articles.imports.citation_storage import (
    ImportCounts,
    build_unsaved_article_of_citation,
    hash_passage_types_and_texts,
    lock_imports_until_commit,
)
from annotations.articles.imports.snapshot_storage import SnapshotUpload
from annotations.articles.models import Article, Corpus
from annotations.articles.queries import find_article_keys
from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.articles.parsed_article import ParsedArticle, parse_article_id_or_empty
from annotations.formats.content_report import build_content_report
from annotations.formats.errors import FormatError
from annotations.formats.pubmed.reader import Citation, iter_citations_and_deletions
from evaluation.challenges.models import Challenge
from evaluation.challenges.setup.blind_uploads import lock_corpus_for_upload, record_blind_upload
from servers.teams.permissions import User

# Limits in bytes of an upload and of its unpacked content; administrators import larger files by command.
LARGEST_UPLOAD = 20 * MEGABYTE
MEBIBYTES = LARGEST_UPLOAD // MEGABYTE
LARGEST_UNPACKED = 64 * MEGABYTE


@dataclass(frozen=True, slots=True)
class ParsedArticleFile:
    """The parsed articles of a file, not yet stored, or citations if it is PubMed XML.

    size: bytes of the unpacked file. warnings: sentences, those of the reader first; of_reader: these as they were.
    """

    format: ArticleFormat
    size: int
    articles: Sequence[ParsedArticle] = ()
    citations: Sequence[Citation] = ()
    warnings: Sequence[str] = ()
    of_reader: Sequence[FormatError] = ()


@dataclass(frozen=True, slots=True)
class ImportedArticles:
    """The stored articles in the order of the file; new and changed hold the keys of those that are."""

    format: ArticleFormat
    articles: Sequence[Article]
    counts: ImportCounts
    new: frozenset[int]
    changed: frozenset[int]
    warnings: Sequence[str] = ()


def can_upload_as_staff_or_organizer(user: User) -> bool:
    """Whether the user organizes a challenge or is an administrator."""
    if not user.is_authenticated:
        return False
    return getattr(user, "is_staff", False) or Challenge.objects.filter(organizers=user.pk).exists()


def import_article_file_all_or_nothing(
    stream: BinaryIO,
    file_name: str,
    file_format: ArticleFormat | None = None,
    id_assigned_to_only_article: str = "",
    *,
    user: User,
) -> ImportedArticles:
    """Store the articles of a file that the user uploads, all or none; raises the errors of parse_article_file and
    store_parsed_file_all_or_nothing.
    """
    return store_parsed_file_all_or_nothing(
        parse_article_file(stream, file_name, file_format, id_assigned_to_only_article), user
    )


def import_blind_article_file_all_or_nothing(
    stream: BinaryIO,
    file_name: str,
    file_format: ArticleFormat | None = None,
    id_assigned_to_only_article: str = "",
    *,
    corpus: Corpus,
    user: User,
) -> ImportedArticles:
    """Store the articles of a file as snapshots of a blind corpus, all or none.

    Raises the errors of parse_article_file, store_parsed_file_as_snapshots and lock_corpus_for_upload.
    """
    parsed_file = parse_article_file(stream, file_name, file_format, id_assigned_to_only_article)
    with transaction.atomic():
        imported = store_parsed_file_as_snapshots(parsed_file, lock_corpus_for_upload(corpus, user), file_name)
        record_blind_upload(corpus, imported.counts.new, user)
    return imported


def parse_article_file(
    stream: BinaryIO,
    file_name: str,
    file_format: ArticleFormat | None = None,
    id_assigned_to_only_article: str = "",
    max_unpacked_bytes: int = LARGEST_UNPACKED,
) -> ParsedArticleFile:
    """Parse a whole file; id_assigned_to_only_article is the PMID, PMCID or DOI of its one article, max_unpacked_bytes
    a limit in bytes, unpacked.

    FormatError or RefusedFileError if it cannot be read, ArticleStorageError if id_assigned_to_only_article does not
    fit.
    """
    file_format = file_format or sniff_article_format_unpacking_gzip(stream, file_name)
    content = unpack_if_gzipped_within_limit(stream, file_name, max_unpacked_bytes)
    size = content.getbuffer().nbytes
    if file_format is ArticleFormat.PUBMED:
        # Deletions are ignored: only PubMed itself may withdraw an article.
        citations = [
            record for record in iter_citations_and_deletions(content, file_name) if isinstance(record, Citation)
        ]
        return ParsedArticleFile(file_format, size, citations=citations)
    parsed = read_unpacked_non_pubmed_article_file(content, file_name, file_format)
    articles = parsed.articles
    if id_assigned_to_only_article:
        if len(articles) != 1 or not parse_article_id_or_empty(id_assigned_to_only_article):
            raise ArticleStorageError("Give a PMID, PMCID or DOI only for a file that contains one article.")
        articles = [replace(articles[0], ids=parse_article_id_or_empty(id_assigned_to_only_article))]
    warnings = [*map(str, parsed.warnings), *_list_warnings_of_annotations(articles)]
    return ParsedArticleFile(file_format, size, articles=articles, warnings=warnings, of_reader=parsed.warnings)


def _list_warnings_of_annotations(articles: Sequence[ParsedArticle]) -> list[str]:
    """The warning that annotations are not imported, if there are any."""
    if not any(article.has_annotations() for article in articles):
        return []
    return [f"Annotations in the file are not imported: {build_content_report(articles).format_kept()}."]


def store_parsed_file_all_or_nothing(parsed_file: ParsedArticleFile, user: User) -> ImportedArticles:
    """Store all articles of the file that the user uploads, or none. ArticleStorageError if they cannot be stored.

    Articles that are stored already belong to everybody: only administrators change them. Those that the file of
    somebody else would have changed stay as they are, and a warning names them.
    """
    keeps_stored = not getattr(user, "is_staff", False)
    if parsed_file.format is ArticleFormat.PUBMED:
        return _store_citations(parsed_file, keeps_stored=keeps_stored)
    stored = store_annotated_articles(parsed_file.articles, keeps_stored=keeps_stored)
    warnings = [*parsed_file.warnings, *_list_warnings_of_kept(stored.kept)]
    return ImportedArticles(parsed_file.format, stored.articles, stored.counts, stored.new, stored.changed, warnings)


def store_parsed_file_as_snapshots(
    parsed_file: ParsedArticleFile, upload: SnapshotUpload, file_name: str
) -> ImportedArticles:
    """Store all articles of the file as snapshots, in the caller's transaction. ArticleStorageError if they cannot be.

    Public articles are neither changed nor looked at. Snapshots that the challenge has already stay as they are, and a
    warning names those of which the file has another text.
    """
    rows = [
        *map(build_unsaved_article, parsed_file.articles),
        *map(build_unsaved_article_of_citation, parsed_file.citations),
    ]
    stored = upload.store(rows, file_name)
    here = {article.pk for article in stored.articles}
    counts = ImportCounts(new=len(stored.new), unchanged=len(here) - len(stored.new), repeated=len(rows) - len(here))
    warnings = [*parsed_file.warnings, *_list_warnings_of_kept_snapshots(stored.kept)]
    return ImportedArticles(parsed_file.format, stored.articles, counts, stored.new, frozenset(), warnings)


def _list_warnings_of_kept_snapshots(names: Sequence[str]) -> list[str]:
    listed = format_first_items_and_remaining_count(names)
    sentence = f"In a blind corpus of this challenge already with another text, which stays: {listed}."
    return [f"{sentence} To replace texts, delete the corpus and upload them again."] * bool(names)


@transaction.atomic
def _store_citations(parsed: ParsedArticleFile, *, keeps_stored: bool) -> ImportedArticles:
    lock_imports_until_commit(exclusive=keeps_stored)
    names = [name for citation in parsed.citations for name in citation.ids]
    keys = find_article_keys(names, Article.objects.all())
    known = Article.objects.in_bulk(set(keys.values()))
    citations, kept = parsed.citations, dict[int, Article]()
    if keeps_stored:
        key_by_citation = [(each, next((keys[name] for name in each.ids if name in keys), None)) for each in citations]
        citations = [citation for citation, key in key_by_citation if key is None]
        kept = {key: known[key] for citation, key in key_by_citation if key and _has_other_text(citation, known[key])}
    try:
        counts = import_citations_batch_by_batch(citations)
    except ImportStoppedError as error:
        raise ArticleStorageError(error.reason) from error
    counts += ImportCounts(unchanged=len(parsed.citations) - len(citations))
    is_in_file = Q(pmid__in=[citation.pmid for citation in parsed.citations]) | Q(pk__in=known)
    articles = _sort_as_in_file(Article.objects.filter(is_in_file), parsed.citations, keys)
    new = frozenset(article.pk for article in articles if article.pk not in known)
    changed = frozenset(
        each.pk
        for each in articles
        if each.pk in known and get_stored_field_values(each) != get_stored_field_values(known[each.pk])
    )
    return ImportedArticles(parsed.format, articles, counts, new, changed, _list_warnings_of_kept([*kept.values()]))


def _sort_as_in_file(
    articles: Iterable[Article], citations: Sequence[Citation], key_by_name: Mapping[str, int]
) -> list[Article]:
    """The articles in the order of their first citations. key_by_name: of those that were stored before."""
    places: dict[tuple[str, int | None], int] = {}
    for place, citation in enumerate(citations):
        places.setdefault(("pmid", citation.pmid), place)
        for name in citation.ids:
            places.setdefault(("key", key_by_name.get(name)), place)
    last = len(citations)
    return sorted(
        articles,
        key=lambda each: (min(places.get(("pmid", each.pmid), last), places.get(("key", each.pk), last)), each.pk),
    )


def _has_other_text(citation: Citation, article: Article) -> bool:
    return hash_passage_types_and_texts(citation.passages) != article.content_hash


def _list_warnings_of_kept(articles: Sequence[Article]) -> list[str]:
    """The warning about articles that stay as they are, if there are any."""
    names = format_first_items_and_remaining_count(articles)
    return [f"On this site already, and not changed, as only administrators change articles: {names}."] * bool(articles)
