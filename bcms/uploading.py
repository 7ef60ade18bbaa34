"""Files of articles sent in by the page: all are read first, then all are stored in one transaction, or nothing is.

Little ones are read at once; what takes long is read by a worker while the page tells how far it is. An upload is open
until it is finished, whichever worker dies meanwhile.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from io import BytesIO
from typing import Any

from celery import current_app
from django.core.files.uploadedfile import UploadedFile as SentFile
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotations.article_storing import StoringError
from annotations.formats.article_sniffing import GZIP, ArticleFormat, article_format_of
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.sniffing import HEAD
from annotations.locking import alone
from bcms.models import Upload, UploadedFile
from bcms.taking_in import LARGEST_UNPACKED, Sent, TakenIn, read_sent, store_sent

# The task by its name: bcms/tasks.py stands above this module.
READ = "bcms.tasks.read_upload"
# The advisory lock under which an upload is read has its key above this one.
UPLOAD_LOCK = 20_100_311_000_000
# So many bytes are read while the browser waits, of formats whose reading takes no time.
AT_ONCE = 256 * 1024
MOST_TRIES = 2
MOST_FILES = 100
MOST_FAULTS = 200
MOST_LISTED = 500
KEPT = timedelta(days=30)
LONGEST_FILE_NAME = 250


@dataclass(frozen=True, slots=True)
class Fault:
    """line and column count from 1; 0 is the file as a whole. rule is "" where storing failed, not the file."""

    line: int
    column: int
    rule: str
    message: str

    @property
    def wrong(self) -> str:
        return self.message.partition(" - ")[0]

    @property
    def mend(self) -> str:
        return self.message.partition(" - ")[2]


@dataclass(frozen=True, slots=True)
class Listed:
    """An article of the file; became is "new", "changed" or "unchanged"."""

    ident: str
    title: str
    became: str


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one file. Of faults and articles the first are kept, and how many there are in all."""

    faults: Sequence[Fault] = ()
    all_faults: int = 0
    warnings: Sequence[str] = ()
    articles: Sequence[Listed] = ()
    all_articles: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0


@dataclass(slots=True)
class Reading:
    """What was read so far, and how many bytes the rest may unpack to."""

    left: int
    sent: list[tuple[UploadedFile, Sent]] = field(default_factory=list)
    faulty: bool = False


def report_of(told: dict[str, Any]) -> Report:
    faults = [Fault(**fault) for fault in told.get("faults", ())]
    return Report(**told | {"faults": faults, "articles": [Listed(**each) for each in told.get("articles", ())]})


def begin(user: Any, files: Sequence[SentFile], form: str, ident: str) -> Upload:
    """Keep the files and read them now if that is quick; else a worker does."""
    with transaction.atomic():
        Upload.objects.filter(user=user, finished__lt=timezone.now() - KEPT).delete()
        upload = Upload.objects.create(user=user)
        UploadedFile.objects.bulk_create(
            UploadedFile(
                upload=upload,
                name=(file.name or "file")[-LONGEST_FILE_NAME:].replace("\0", ""),
                format=form,
                ident=ident,
                size=file.size or 0,
                content=file.read(),
            )
            for file in files
        )
        if not all(quick(file) for file in files) or sum(file.size or 0 for file in files) > AT_ONCE:
            transaction.on_commit(lambda: current_app.send_task(READ, [upload.pk]), robust=True)
            return upload
    read_upload(upload.pk)
    upload.refresh_from_db()
    return upload


def quick(file: SentFile) -> bool:
    """Whether reading it takes no longer than its bytes say: nothing packed, and neither PDF nor Word."""
    file.seek(0)
    head = BytesIO(file.read(HEAD))
    if head.getvalue().startswith(GZIP):
        return False
    try:
        return article_format_of(head, "") not in (ArticleFormat.PDF, ArticleFormat.DOCX)
    except FormatError:
        return True


def open_uploads() -> list[int]:
    return list(Upload.objects.filter(finished__isnull=True).order_by("pk").values_list("pk", flat=True))


def read_upload(upload_id: int) -> str:
    """Read and store an upload that is open; "busy" when another worker does, "finished" when it is done."""
    with alone(UPLOAD_LOCK + upload_id) as free:
        if not free:
            return "busy"
        upload = Upload.objects.filter(pk=upload_id, finished__isnull=True).first()
        if upload is None:
            return "finished"
        Upload.objects.filter(pk=upload_id).update(tries=F("tries") + 1)
        files = list(upload.files.order_by("pk"))
        if upload.tries >= MOST_TRIES:
            give_up(files)
        elif not (reading := read_all(files)).faulty:
            upload.stored = store_all(reading.sent, upload.user)
        finish(upload, files)
        return "stored" if upload.stored else "refused"


def give_up(files: Iterable[UploadedFile]) -> None:
    message = "the reader broke off twice within these files - send them one by one, or ask the site's staff"
    for file in files:
        tell(file, refusal([Fault(0, 0, "", message)]))


def read_all(files: Iterable[UploadedFile]) -> Reading:
    """Read each file, and tell at once what is wrong with it."""
    reading = Reading(LARGEST_UNPACKED)
    for file in files:
        form = ArticleFormat(file.format) if file.format else None
        try:
            sent = read_sent(BytesIO(bytes(file.content or b"")), file.name, form, file.ident, reading.left)
        except (FormatError, RefusedFileError, StoringError) as error:
            reading.faulty = True
            tell(file, refusal(faults_of(error)))
            continue
        file.format = sent.format.value
        tell(file, Report(warnings=list(sent.warnings)[:MOST_FAULTS]))
        reading.sent.append((file, sent))
        reading.left -= sent.size
    return reading


def faults_of(error: FormatError | RefusedFileError | StoringError) -> list[Fault]:
    if isinstance(error, RefusedFileError):
        return [Fault(fault.line, fault.column, fault.rule, fault.message) for fault in error.faults]
    if isinstance(error, FormatError):
        return [Fault(error.line, error.column, error.rule, error.message)]
    return [Fault(0, 0, "", str(error))]


def refusal(faults: Sequence[Fault]) -> Report:
    return Report(faults=faults[:MOST_FAULTS], all_faults=len(faults))


def store_all(read: Iterable[tuple[UploadedFile, Sent]], user: Any) -> bool:
    """Store all files in one transaction. When one cannot be stored, it is told of that one, and nothing is."""
    reports: list[tuple[UploadedFile, Report]] = []
    try:
        with transaction.atomic():
            for file, sent in read:
                current = file
                reports.append((file, stored_report(store_sent(sent, user))))
    except StoringError as error:
        tell(current, refusal([Fault(0, 0, "", str(error))]))
        return False
    for file, report in reports:
        tell(file, report)
    return True


def stored_report(taken: TakenIn) -> Report:
    articles = list({article.pk: article for article in taken.articles}.values())
    listed = [
        Listed(
            str(article.pmid or article.opaque),
            article.title,
            "new" if article.pk in taken.new else "changed" if article.pk in taken.changed else "unchanged",
        )
        for article in articles[:MOST_LISTED]
    ]
    return Report(
        warnings=list(taken.warnings)[:MOST_FAULTS],
        articles=listed,
        all_articles=len(articles),
        new=taken.counts.new,
        changed=taken.counts.changed,
        unchanged=taken.counts.unchanged,
    )


def tell(file: UploadedFile, report: Report) -> None:
    file.report, file.read = asdict(report), timezone.now()
    file.save(update_fields=["report", "read", "format"])


def finish(upload: Upload, files: Iterable[UploadedFile]) -> None:
    """The files themselves are not kept."""
    UploadedFile.objects.filter(pk__in=[file.pk for file in files]).update(content=None)
    upload.finished = timezone.now()
    upload.save(update_fields=["finished", "stored"])
