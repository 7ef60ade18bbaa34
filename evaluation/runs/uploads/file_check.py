"""Read and check an uploaded file against its phase, without storing anything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

from django.utils import timezone

from annotations.articles.imports.sandbox import convert_parquet_to_ndjson_in_sandbox
from annotations.articles.models import Article
from annotations.articles.queries import annotate_recorded_ids
from annotations.formats.errors import FormatError
from annotations.formats.tsv.result_reader import RUN_RULES
from annotations.schema import Kind
from bcms.lib.text import replace_unstorable_characters
from evaluation.challenges.models import Phase, Task
from evaluation.errors import ChallengeError
from evaluation.runs.files.run_checks import CheckedRunFile, RunRequirements, read_and_check_run
from evaluation.runs.files.run_reader import RunFile, RunTarget
from evaluation.runs.uploads.repair_names import find_identifiers_of_names_in_bc2_xml
from evaluation.runs.uploads.submission import (
    MEBIBYTE,
    RunSubmission,
    check_submission_not_empty_or_large,
    make_storable_file_name_or_default,
)

# The request waits while a file is only checked, and its thread serves nobody else.
MAX_CHECKED_BYTES = 8 * MEBIBYTE
MAX_LISTED_WARNINGS = 200
MAX_UNKNOWN_ARTICLES = 100


def index_phase_articles_by_allowed_name(phase: Phase) -> dict[str, int]:
    """Return {name that a file may use: key of the article} for the articles of the phase.

    A blind phase accepts opaque ids only; elsewhere an article has an opaque id only if it has no PMID or DOI. So
    nobody can find out by trying which PMIDs a test has, or which article an opaque id means.
    """
    articles = annotate_recorded_ids(Article.objects.filter(corpora=phase.corpus_id)).order_by("-pk")
    rows = articles.values_list("pk", "recorded_pmid", "recorded_doi", "opaque")
    if phase.corpus.blind:
        return {opaque: pk for pk, _, _, opaque in rows}
    return {name: pk for pk, pmid, doi, opaque in rows for name in _list_article_file_names(pmid, doi, opaque)}


def _list_article_file_names(pmid: int | None, doi: str, opaque: str) -> list[str]:
    return [name for name in (str(pmid or ""), doi) if name] or [opaque]


@dataclass(frozen=True, slots=True)
class RunFileReport:
    """What is shown of a valid file: its size, how it was interpreted, warnings, and articles not in the phase."""

    results: int
    articles: int
    format: str
    note: str
    warnings: Sequence[FormatError]
    unknown: int
    unknown_names: Sequence[str]


def build_run_file_report(run: RunFile, article_by_name: Mapping[str, int]) -> RunFileReport:
    unknown = [name for name in run.articles if name not in article_by_name]
    return RunFileReport(
        len(run.table),
        len(run.articles),
        run.form,
        replace_unstorable_characters(run.note),
        [*run.table.warnings, *run.table.repairs][:MAX_LISTED_WARNINGS],
        len(unknown),
        [replace_unstorable_characters(name)[:100] for name in unknown[:MAX_UNKNOWN_ARTICLES]],
    )


def check_run_without_storing(submission: RunSubmission, task: Task, phase: Phase) -> RunFileReport:
    """Check a file like an upload, without storing it or counting it as a try.

    Raises RefusedFileError with all faults, and ChallengeError for a file that is empty or too large, or if the phase
    has not opened yet.
    """
    check_submission_not_empty_or_large(submission)
    if len(submission.content) > MAX_CHECKED_BYTES:
        raise ChallengeError(
            f"The file is larger than {MAX_CHECKED_BYTES // MEBIBYTE} MiB, too large to be checked here. Upload it (an "
            "invalid file uses up no run), or check it with python -m evaluation check."
        )
    if phase.opens > timezone.now():
        raise ChallengeError(f"The {phase.sort} phase is not open yet; check the file when it is.")
    article_by_name = index_phase_articles_by_allowed_name(phase)
    return build_run_file_report(
        read_and_check_run_content(
            submission.content,
            make_storable_file_name_or_default(submission),
            task,
            phase,
            article_by_name,
            repair=submission.repair,
        ).file,
        article_by_name,
    )


def read_and_check_run_content(
    content: bytes, source: str, task: Task, phase: Phase, article_by_name: Mapping[str, int], *, repair: bool = False
) -> CheckedRunFile:
    """Check a file by the rules of its phase. Raises RefusedFileError with all faults.

    repair: whether BioCreative II XML is repaired, with the names of the entries that are stored here.
    """
    kind = Kind(task.kind)
    if (settings := task.get_settings()) is not None:
        content = convert_parquet_to_ndjson_in_sandbox(content, source)
    requirements = RunRequirements(
        RUN_RULES[phase.challenge.file_rules],
        article_by_name,
        lambda: _load_phase_texts(phase),
        phase.upload_caps.get(kind),
        names_for_repair=find_identifiers_of_names_in_bc2_xml(content, kind) if repair else None,
    )
    return read_and_check_run(BytesIO(content), source, RunTarget(kind, task.name, settings), requirements)


def _load_phase_texts(phase: Phase) -> dict[int, str]:
    return dict(Article.objects.filter(corpora=phase.corpus_id).values_list("pk", "text"))
