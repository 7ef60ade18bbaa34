"""Processing of files uploaded on the page: all are read first, then all are stored in one transaction, or none.

Small uploads are read at once; others by a worker, while the page shows the progress. An upload stays open until it is
finished, even if a worker dies.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from io import BytesIO
from typing import Any

from celery import current_app
from django.contrib.auth.models import AbstractBaseUser
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotations.advisory_locks import try_advisory_lock
from annotations.articles.imports.article_storage import ArticleStorageError
from annotations.articles.models import Corpus
from annotations.articles.queries import format_pmid_or_opaque
from annotations.formats.articles.article_sniffing import (
    GZIP_SIGNATURE,
    ArticleFormat,
    sniff_format_else_text_refusing_non_articles,
)
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.result_sniffing import SNIFFED_BYTES
from annotations.formats.zip.reader import ZIP_SIGNATURE
from bcms.article_uploads.article_import import (
    LARGEST_UNPACKED,
    ImportedArticles,
    ParsedArticleFile,
    parse_article_file,
    store_parsed_file_all_or_nothing,
    store_parsed_file_as_snapshots,
)
from bcms.article_uploads.models import ArticleUpload, UploadedArticleFile
from evaluation.challenges.setup.blind_uploads import lock_corpus_for_upload, record_blind_upload
from evaluation.errors import ChallengeError

# By name, as bcms/tasks.py imports this module.
READ_UPLOAD_TASK = "bcms.tasks.store_or_refuse_article_upload_unless_busy"
# The key of the advisory lock for reading an upload is this number plus the upload's id.
UPLOAD_LOCK = 20_100_311_000_000
# Uploads up to this size, in formats that are read quickly, are read within the HTTP request.
MOST_BYTES_AT_ONCE = 256 * 1024
MOST_TRIES = 2
MOST_FILES = 100
MOST_FAULTS = 200
MOST_LISTED = 500
UPLOAD_KEPT = timedelta(days=30)
LONGEST_FILE_NAME = 250


@dataclass(frozen=True, slots=True)
class UploadFault:
    """An error in a file. line and column count from 1, 0 means the whole file; rule is "" if storing failed."""

    line: int
    column: int
    rule: str
    message: str

    @property
    def problem(self) -> str:
        return self.message.partition(" - ")[0]

    @property
    def hint(self) -> str:
        return self.message.partition(" - ")[2]


@dataclass(frozen=True, slots=True)
class ListedArticle:
    """An article in the file; became is "new", "changed" or "unchanged"."""

    ident: str
    title: str
    became: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """The result for one file: the first errors and articles, and the number of each in total."""

    faults: Sequence[UploadFault] = ()
    all_faults: int = 0
    warnings: Sequence[str] = ()
    articles: Sequence[ListedArticle] = ()
    all_articles: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0


@dataclass(slots=True)
class UploadReading:
    """The files read so far, and how many bytes the rest may have unpacked."""

    bytes_left: int
    parsed: list[tuple[UploadedArticleFile, ParsedArticleFile]] = field(default_factory=list)
    faulty: bool = False


def parse_file_report(report: dict[str, Any]) -> FileReport:
    """The report from its JSON form."""
    faults = [UploadFault(**fault) for fault in report.get("faults", ())]
    articles = [ListedArticle(**article) for article in report.get("articles", ())]
    return FileReport(**report | {"faults": faults, "articles": articles})


def store_upload_and_process_or_enqueue(
    user: AbstractBaseUser,
    files: Sequence[UploadedFile[Any]],
    file_format: str,
    single_article_id: str,
    corpus: Corpus | None = None,
) -> ArticleUpload:
    """Store the files, and process them at once if that is quick; otherwise leave them to a worker.

    corpus: the blind corpus that gets the articles as snapshots; None for public articles.
    """
    with transaction.atomic():
        ArticleUpload.objects.filter(user_id=user.pk, finished__lt=timezone.now() - UPLOAD_KEPT).delete()
        upload = ArticleUpload.objects.create(user_id=user.pk, corpus=corpus)
        UploadedArticleFile.objects.bulk_create(
            UploadedArticleFile(
                upload=upload,
                name=(file.name or "file")[-LONGEST_FILE_NAME:].replace("\0", ""),
                format=file_format,
                ident=single_article_id,
                size=file.size or 0,
                content=file.read(),
            )
            for file in files
        )
        if not are_files_read_at_once(files):
            transaction.on_commit(lambda: current_app.send_task(READ_UPLOAD_TASK, [upload.pk]), robust=True)
            return upload
    store_or_refuse_upload_unless_busy(upload.pk)
    upload.refresh_from_db()
    return upload


def are_files_read_at_once(files: Sequence[UploadedFile[Any]]) -> bool:
    """Whether the files are small, and in formats that are read quickly, so that no worker is needed."""
    return sum(file.size or 0 for file in files) <= MOST_BYTES_AT_ONCE and all(map(_is_quick_to_read, files))


def _is_quick_to_read(file: UploadedFile[Any]) -> bool:
    """Whether reading the file takes time in proportion to its size only: not if it is packed, PDF or DOCX."""
    file.seek(0)
    head = BytesIO(file.read(SNIFFED_BYTES))
    if head.getvalue().startswith((GZIP_SIGNATURE, ZIP_SIGNATURE)):
        return False
    try:
        return sniff_format_else_text_refusing_non_articles(head, "") is not ArticleFormat.PDF
    except FormatError:
        return True


def list_open_uploads() -> list[int]:
    return list(ArticleUpload.objects.filter(finished__isnull=True).order_by("pk").values_list("pk", flat=True))


def store_or_refuse_upload_unless_busy(upload_id: int) -> str:
    """Read and store an open upload: "stored" or "refused"; "busy" if another worker does, "finished" if it is done."""
    with try_advisory_lock(UPLOAD_LOCK + upload_id) as free:
        if not free:
            return "busy"
        uploads = ArticleUpload.objects.select_related("user", "corpus")
        upload = uploads.filter(pk=upload_id, finished__isnull=True).first()
        if upload is None:
            return "finished"
        ArticleUpload.objects.filter(pk=upload_id).update(tries=F("tries") + 1)
        files = list(upload.files.order_by("pk"))
        if upload.tries >= MOST_TRIES:
            _refuse_all_files(files)
        elif not (reading := parse_uploaded_files_saving_reports(files)).faulty:
            upload.stored = _store_uploaded_files(reading.parsed, upload)
        _finish_article_upload(upload, files)
        return "stored" if upload.stored else "refused"


def _refuse_all_files(files: Iterable[UploadedArticleFile]) -> None:
    message = "reading these files failed twice - upload them one by one, or contact the administrator"
    for file in files:
        _save_file_report(file, _make_refusal_report([UploadFault(0, 0, "", message)]))


def parse_uploaded_files_saving_reports(files: Iterable[UploadedArticleFile]) -> UploadReading:
    """Read each file, and save its report at once."""
    reading = UploadReading(LARGEST_UNPACKED)
    for file in files:
        file_format = ArticleFormat(file.format) if file.format else None
        content = BytesIO(bytes(file.content or b""))
        try:
            parsed = parse_article_file(content, file.name, file_format, file.ident, reading.bytes_left)
        except (FormatError, RefusedFileError, ArticleStorageError) as error:
            reading.faulty = True
            _save_file_report(file, _make_refusal_report(_list_upload_faults(error)))
            continue
        file.format = parsed.format.value
        _save_file_report(file, FileReport(warnings=list(parsed.warnings)[:MOST_FAULTS]))
        reading.parsed.append((file, parsed))
        reading.bytes_left -= parsed.size
    return reading


def _list_upload_faults(error: FormatError | RefusedFileError | ArticleStorageError) -> list[UploadFault]:
    if isinstance(error, RefusedFileError):
        return [UploadFault(fault.line, fault.column, fault.rule, fault.message) for fault in error.faults]
    if isinstance(error, FormatError):
        return [UploadFault(error.line, error.column, error.rule, error.message)]
    return [UploadFault(0, 0, "", str(error))]


def _make_refusal_report(faults: Sequence[UploadFault]) -> FileReport:
    return FileReport(faults=faults[:MOST_FAULTS], all_faults=len(faults))


def _store_uploaded_files(
    files: Sequence[tuple[UploadedArticleFile, ParsedArticleFile]], upload: ArticleUpload
) -> bool:
    """Store all files in one transaction, or, if one of them cannot be stored, report on that one and return False."""
    reports: list[tuple[UploadedArticleFile, FileReport]] = []
    current = files[0][0]
    try:
        with transaction.atomic():
            storing = _FileStoring(upload)
            for file, parsed in files:
                current = file
                reports.append((file, _make_stored_report(storing.store(parsed, file.name))))
            storing.finish()
    except (ArticleStorageError, ChallengeError) as error:
        _save_file_report(current, _make_refusal_report([UploadFault(0, 0, "", str(error))]))
        return False
    for file, report in reports:
        _save_file_report(file, report)
    return True


class _FileStoring:
    """Stores the files of an upload in a transaction: as public articles, or as snapshots of its blind corpus."""

    def __init__(self, upload: ArticleUpload) -> None:
        """ChallengeError if the corpus takes no articles."""
        self.upload = upload
        self.snapshots = lock_corpus_for_upload(upload.corpus, upload.user) if upload.corpus else None
        self.new = 0

    def store(self, parsed: ParsedArticleFile, file_name: str) -> ImportedArticles:
        """ArticleStorageError if the articles cannot be stored."""
        if self.snapshots is None:
            return store_parsed_file_all_or_nothing(parsed, self.upload.user)
        imported = store_parsed_file_as_snapshots(parsed, self.snapshots, file_name)
        self.new += imported.counts.new
        return imported

    def finish(self) -> None:
        if self.upload.corpus:
            record_blind_upload(self.upload.corpus, self.new, self.upload.user)


def _make_stored_report(imported: ImportedArticles) -> FileReport:
    articles = list({article.pk: article for article in imported.articles}.values())
    listed = [
        ListedArticle(
            format_pmid_or_opaque(article),
            article.title,
            "new" if article.pk in imported.new else "changed" if article.pk in imported.changed else "unchanged",
        )
        for article in articles[:MOST_LISTED]
    ]
    return FileReport(
        warnings=list(imported.warnings)[:MOST_FAULTS],
        articles=listed,
        all_articles=len(articles),
        new=imported.counts.new,
        changed=imported.counts.changed,
        unchanged=imported.counts.unchanged,
    )


def _save_file_report(file: UploadedArticleFile, report: FileReport) -> None:
    file.report, file.read = asdict(report), timezone.now()
    file.save(update_fields=["report", "read", "format"])


@transaction.atomic
def _finish_article_upload(upload: ArticleUpload, files: Iterable[UploadedArticleFile]) -> None:
    """Mark the upload as finished, and delete the content of its files."""
    UploadedArticleFile.objects.filter(pk__in=[file.pk for file in files]).update(content=None)
    upload.finished = timezone.now()
    upload.save(update_fields=["finished", "stored"])
