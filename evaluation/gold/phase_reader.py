"""Read a gold standard file and check it against the corpus of its phase."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef

from annotations.articles.imports.sandbox import convert_parquet_to_ndjson_in_sandbox
from annotations.articles.models import Article, ArticleSnapshot, Corpus
from annotations.articles.queries import annotate_recorded_ids
from annotations.formats.errors import FormatError, RefusedFileError, quote_file_text
from annotations.formats.tsv.gold_reader import MOST_FAULTS, GoldLine
from annotations.results.models import CARRIED_TEXT, Producer, Result
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.models import Phase, Task
from evaluation.gold.alternatives import (
    AlternativesFile,
    AlternativeSpans,
    find_alternatives_within_gold_file,
    read_alternative_spans,
)
from evaluation.gold.file_reader import (
    ScannedGold,
    read_gene_mention_gold_keeping_unknown_articles,
    read_gold_file_noting_faults,
)
from evaluation.measures.items.counted_types import keep_counted_annotations
from evaluation.measures.task_settings import TaskSettings
from evaluation.runs.files.open_checks import LocatedAnnotations, locate_annotations_or_refuse_file
from evaluation.runs.files.open_files import OpenTaskFile, leave_out_documents, read_open_task_file
from evaluation.runs.files.phase_checks import compute_fault_key_file_faults_last

GoldAnnotations = Mapping[int, Sequence[AnnotationData]]


@dataclass(frozen=True, slots=True)
class KnownArticle:
    """An article of the corpus; name: how error messages refer to it.

    moved: whether its annotations were moved from a slightly different text in the file of the gold standard.
    """

    id: int
    text_version: int
    name: str
    moved: bool = False


@dataclass(frozen=True, slots=True)
class CheckedGold:
    """A valid file: its annotations and the articles of the corpus, by article id, and what to look at in the file."""

    annotations: GoldAnnotations
    articles: dict[int, KnownArticle]
    warnings: Sequence[FormatError] = ()


def read_checked_gold_and_corpus_articles(
    task: Task,
    phase: Phase,
    content: bytes,
    file_name: str,
    opaque_by_document: Mapping[str, str | None] | None = None,
) -> CheckedGold:
    """Read the file and check it against the corpus.

    file_name: name of the file for the faults; opaque_by_document: for a file that the articles of the corpus are from,
    the opaque id of the article that a name in the file means, None for a document that is left out: a task without
    settings has no such files. RefusedFileError with every fault (at most MOST_FAULTS).
    """
    kind = Kind(task.kind)
    opaque_by_document = opaque_by_document or {}
    names = _load_corpus_articles_by_names_and_documents(phase.corpus, opaque_by_document)
    if (settings := task.get_settings()) is not None:
        left_out = {document for document, opaque in opaque_by_document.items() if opaque is None}
        placed = read_checked_open_gold(kind, settings, content, names, phase.corpus, file_name, left_out)
        return CheckedGold(placed.by_article, index_articles_noting_moved(names, placed.moved), placed.warnings)
    lines, faults = read_task_gold_noting_faults(content, task, phase.corpus, names, file_name)
    faults += iter_foreign_and_repeated_line_faults(names, lines, file_name)
    # A line with a fault may belong to an article without a class, so this is checked only if all lines are correct.
    if kind == Kind.CLASSIFICATION and not faults:
        faults += _iter_unlabelled_faults(names, lines, file_name)
    if faults:
        raise RefusedFileError(sorted(faults, key=lambda fault: (fault.line, fault.column))[:MOST_FAULTS])
    annotations: dict[int, list[AnnotationData]] = defaultdict(list)
    for line in lines:
        annotations[names[line.article].id].append(line.annotation)
    moved = {names[line.article].id for line in lines if line.moved}
    return CheckedGold(annotations, index_articles_noting_moved(names, moved))


def _load_corpus_articles_by_names_and_documents(
    corpus: Corpus, opaque_by_document: Mapping[str, str | None]
) -> dict[str, KnownArticle]:
    names = load_corpus_articles_by_names_except_pmcid(corpus)
    return names | {document: names[opaque] for document, opaque in opaque_by_document.items() if opaque in names}


def index_articles_noting_moved(names: Mapping[str, KnownArticle], moved: Collection[int]) -> dict[int, KnownArticle]:
    """The articles by id, those noted whose annotations were moved."""
    return {article.id: replace(article, moved=article.id in moved) for article in names.values()}


def build_unsaved_result(article: KnownArticle, kind: str, producer: Producer) -> Result:
    """The Result for the annotations of an article in a file, of which none was left out."""
    result = Result(article_id=article.id, text_version=article.text_version, kind=kind, producer=producer)
    if article.moved:
        result.moved_from, result.not_movable = CARRIED_TEXT, 0
    return result


def read_checked_open_gold(
    kind: Kind,
    settings: TaskSettings,
    content: bytes,
    article_by_name: Mapping[str, KnownArticle],
    corpus: Corpus,
    file_name: str,
    left_out: Collection[str] = (),
) -> LocatedAnnotations:
    """The gold standard of a task with settings, or annotations that are checked like one. RefusedFileError with every
    fault, also if nothing in the file counts. Its warnings include those of reading the file.

    left_out: names of documents of the file that are not read.
    """
    stream = BytesIO(convert_parquet_to_ndjson_in_sandbox(content, file_name))
    file = leave_out_documents(read_open_task_file(stream, file_name, kind, settings, role="gold"), left_out)
    faults = list(_iter_foreign_and_renamed_document_faults(article_by_name, file))
    known = {name: article.id for name, article in article_by_name.items()}
    try:
        placed = locate_annotations_or_refuse_file(file, kind, settings, known, _load_corpus_texts(corpus))
    except RefusedFileError as error:
        raise RefusedFileError([*error.faults, *faults][:MOST_FAULTS]) from None
    faults += placed.not_movable
    if faults:
        raise RefusedFileError(faults[:MOST_FAULTS])
    if not any(keep_counted_annotations(in_article, settings) for in_article in placed.by_article.values()):
        message = f"nothing in the file counts in this task ({file.note}) - choose another file, or other settings"
        raise RefusedFileError([FormatError(file_name, 0, 0, "R610", message)])
    return replace(placed, warnings=[*file.warnings, *placed.warnings])


def _iter_foreign_and_renamed_document_faults(
    article_by_name: Mapping[str, KnownArticle], file: OpenTaskFile
) -> Iterator[FormatError]:
    """Faults of documents that are not in the corpus (R508), or that are another document of the file (R510)."""
    lines: dict[str, int] = {}
    for found in file.annotations:
        lines.setdefault(found.document, found.line)
    first_names: dict[int, str] = {}
    for name in file.documents:
        line = lines.get(name, 0)
        article = article_by_name.get(name)
        if article is None:
            message = f"article {quote_file_text(name)} is not in the corpus of this phase - remove it or add it there"
            yield FormatError(file.source, line, min(line, 1), "R508", message)
        elif (first := first_names.setdefault(article.id, name)) != name:
            both = f"{quote_file_text(name)} and {quote_file_text(first)} are the same article"
            yield FormatError(file.source, line, min(line, 1), "R510", f"{both} - use one of its names")


def read_task_gold_noting_faults(
    content: bytes, task: Task, corpus: Corpus, article_by_name: Mapping[str, KnownArticle], file_name: str
) -> ScannedGold:
    """The lines of the file that could be read, and the faults of the others. article_by_name: the articles by name."""
    if not task.has_gene_mentions:
        return read_gold_file_noting_faults(content, Kind(task.kind), task.name, file_name)
    known = {name: article.id for name, article in article_by_name.items()}
    return read_gene_mention_gold_keeping_unknown_articles(content, file_name, known, _load_corpus_texts(corpus))


def _load_corpus_texts(corpus: Corpus) -> dict[int, str]:
    """{article id: text}."""
    return dict(Article.objects.filter(corpora=corpus).values_list("pk", "text"))


def find_faults_of_alternatives(
    task: Task,
    phase: Phase,
    gold_content: bytes,
    gold_file_name: str,
    alternatives_file: AlternativesFile | None,
    opaque_by_document: Mapping[str, str | None] | None = None,
) -> Sequence[FormatError]:
    """The faults of the alternatives, in their own upload or within a gold standard that was refused.

    opaque_by_document: as of read_checked_gold_and_corpus_articles.
    """
    if not task.has_gene_mentions:
        return ()
    try:
        alternatives_file = alternatives_file or find_alternatives_within_gold_file(gold_content, gold_file_name)
        if alternatives_file is not None:
            read_corpus_alternatives(phase.corpus, alternatives_file, opaque_by_document)
    except RefusedFileError as error:
        return error.faults
    return ()


def sort_distinct_faults_by_file(faults: Iterable[FormatError], first_file_name: str) -> list[FormatError]:
    """The distinct faults by line, those of first_file_name before those of other files."""
    distinct = {fault.args: fault for fault in faults}.values()
    return sorted(
        distinct, key=lambda fault: (fault.source != first_file_name, *compute_fault_key_file_faults_last(fault))
    )


def read_corpus_alternatives(
    corpus: Corpus,
    alternatives_file: AlternativesFile,
    opaque_by_document: Mapping[str, str | None] | None = None,
) -> AlternativeSpans:
    """{article id: spans} of a file of alternatives. RefusedFileError with all its faults.

    opaque_by_document: as of read_checked_gold_and_corpus_articles.
    """
    names = _load_corpus_articles_by_names_and_documents(corpus, opaque_by_document or {})
    known = {name: article.id for name, article in names.items()}
    return read_alternative_spans(alternatives_file, known, _load_corpus_texts(corpus))


def load_corpus_articles_by_names_except_pmcid(corpus: Corpus) -> dict[str, KnownArticle]:
    """The articles of a corpus by each of their names: PMID, DOI, opaque id, and that of a snapshot that it was."""
    names: dict[str, KnownArticle] = {}
    merged = ArticleSnapshot.objects.filter(public_article=OuterRef("pk"), article__blind=True)
    articles = annotate_recorded_ids(Article.objects.filter(corpora=corpus)).annotate(
        opaque_in_tests=ArraySubquery(merged.values("article__opaque"))
    )
    rows = articles.order_by("corpusarticle__position")
    fields = ("pk", "text_version", "recorded_pmid", "recorded_doi", "opaque", "opaque_in_tests")
    for pk, version, pmid, doi, opaque, opaque_in_tests in rows.values_list(*fields):
        article_names = [name for name in (str(pmid or ""), doi, opaque, *opaque_in_tests) if name]
        shown = opaque if corpus.blind else article_names[0]
        names |= dict.fromkeys(article_names, KnownArticle(pk, version, shown))
    return names


def iter_foreign_and_repeated_line_faults(
    article_by_name: Mapping[str, KnownArticle], gold_lines: Sequence[GoldLine], file_name: str
) -> Iterator[FormatError]:
    """Faults of lines whose article is not in the corpus (R508), or that repeat a line under another name (R510)."""
    first_lines: dict[tuple[object, ...], int] = {}
    for line in gold_lines:
        article = article_by_name.get(line.article)
        if article is None:
            message = f"article {line.article} is not in the corpus of this phase - remove the line or add the article"
            yield FormatError(file_name, line.line, 1, "R508", message)
            continue
        first = first_lines.setdefault((article.id, line.annotation.key), line.line)
        if first != line.line:
            message = f"line {first} has the same annotation under another name of the article - remove one of the two"
            yield FormatError(file_name, line.line, 1, "R510", message)


def _iter_unlabelled_faults(
    names: Mapping[str, KnownArticle], lines: Sequence[GoldLine], source: str
) -> Iterator[FormatError]:
    """Faults for articles of the corpus without a class in the file (R509)."""
    labelled = {names[line.article].id for line in lines}
    for article in dict.fromkeys(names.values()):
        if article.id not in labelled:
            message = f"article {article.name} of the corpus has no class - add a line for it"
            yield FormatError(source, 0, 0, "R509", message)
