"""Read a gold standard file and check it against the corpus of its phase."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotations.articles.models import Article, Corpus
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.tsv.gold_reader import MOST_FAULTS, GoldLine
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.models import Phase, Task
from evaluation.gold.alternatives import (
    AlternativesFile,
    AlternativeSpans,
    find_inline_alternatives,
    read_alternative_spans,
)
from evaluation.gold.file_reader import ScannedGold, scan_gold_file, scan_mention_gold
from evaluation.runs.files.phase_checks import compute_fault_sort_key

GoldAnnotations = Mapping[int, Sequence[AnnotationData]]


@dataclass(frozen=True, slots=True)
class KnownArticle:
    """An article of the corpus; name: how error messages refer to it."""

    id: int
    text_version: int
    name: str


def read_gold_for_phase(
    task: Task, phase: Phase, content: bytes, source: str
) -> tuple[GoldAnnotations, dict[int, KnownArticle]]:
    """The annotations of the file by article id, and the articles of the corpus by id.

    source: name of the file for the faults. RefusedFileError with every fault (at most MOST_FAULTS).
    """
    kind = Kind(task.kind)
    names = index_corpus_articles(phase.corpus)
    lines, faults = scan_task_gold(content, task, phase.corpus, names, source)
    faults += iter_misfit_faults(names, lines, source)
    # A line with a fault may belong to an article without a class, so this is checked only if all lines are correct.
    if kind == Kind.CLASSIFICATION and not faults:
        faults += iter_unlabelled_faults(names, lines, source)
    if faults:
        raise RefusedFileError(sorted(faults, key=lambda fault: (fault.line, fault.column))[:MOST_FAULTS])
    annotations: dict[int, list[AnnotationData]] = defaultdict(list)
    for line in lines:
        annotations[names[line.article].id].append(line.annotation)
    return annotations, {article.id: article for article in names.values()}


def scan_task_gold(
    content: bytes, task: Task, corpus: Corpus, names: Mapping[str, KnownArticle], source: str
) -> ScannedGold:
    """The lines of the file that could be read, and the faults of the others. names: articles by their names."""
    if task.kind != Kind.MENTION:
        return scan_gold_file(content, Kind(task.kind), task.name, source)
    known = {name: article.id for name, article in names.items()}
    return scan_mention_gold(content, source, known, load_corpus_texts(corpus))


def load_corpus_texts(corpus: Corpus) -> dict[int, str]:
    """{article id: text}."""
    return dict(Article.objects.filter(corpora=corpus).values_list("pk", "text"))


def list_alternatives_faults(
    task: Task, phase: Phase, content: bytes, source: str, upload: AlternativesFile | None
) -> Sequence[FormatError]:
    """The faults of the alternatives, in their own upload or within a gold standard that was refused."""
    if task.kind != Kind.MENTION:
        return ()
    try:
        upload = upload or find_inline_alternatives(content, source)
        if upload is not None:
            read_corpus_alternatives(phase.corpus, upload)
    except RefusedFileError as error:
        return error.faults
    return ()


def sort_faults_by_file(faults: Iterable[FormatError], first: str) -> list[FormatError]:
    """The distinct faults by line, those of the file named first before those of other files."""
    distinct = {fault.args: fault for fault in faults}.values()
    return sorted(distinct, key=lambda fault: (fault.source != first, *compute_fault_sort_key(fault)))


def read_corpus_alternatives(corpus: Corpus, upload: AlternativesFile) -> AlternativeSpans:
    """{article id: spans} of a file of alternatives. RefusedFileError with all its faults."""
    known = {name: article.id for name, article in index_corpus_articles(corpus).items()}
    return read_alternative_spans(upload, known, load_corpus_texts(corpus))


def index_corpus_articles(corpus: Corpus) -> dict[str, KnownArticle]:
    """The articles of a corpus by each of their names: PMID, DOI, opaque id."""
    names: dict[str, KnownArticle] = {}
    rows = Article.objects.filter(corpora=corpus).order_by("corpusarticle__position")
    for pk, version, pmid, doi, opaque in rows.values_list("pk", "text_version", "pmid", "doi", "opaque"):
        article_names = [name for name in (str(pmid or ""), doi, opaque) if name]
        shown = opaque if corpus.blind else article_names[0]
        names |= dict.fromkeys(article_names, KnownArticle(pk, version, shown))
    return names


def iter_misfit_faults(
    names: Mapping[str, KnownArticle], lines: Sequence[GoldLine], source: str
) -> Iterator[FormatError]:
    """Faults of lines whose article is not in the corpus (R508), or that repeat a line under another name (R510)."""
    first_lines: dict[tuple[object, ...], int] = {}
    for line in lines:
        article = names.get(line.article)
        if article is None:
            message = f"article {line.article} is not in the corpus of this phase - remove the line or add the article"
            yield FormatError(source, line.line, 1, "R508", message)
            continue
        first = first_lines.setdefault((article.id, line.annotation.key), line.line)
        if first != line.line:
            message = f"line {first} has the same annotation under another name of the article - remove one of the two"
            yield FormatError(source, line.line, 1, "R510", message)


def iter_unlabelled_faults(
    names: Mapping[str, KnownArticle], lines: Sequence[GoldLine], source: str
) -> Iterator[FormatError]:
    """Faults for articles of the corpus without a class in the file (R509)."""
    labelled = {names[line.article].id for line in lines}
    for article in dict.fromkeys(names.values()):
        if article.id not in labelled:
            message = f"article {article.name} of the corpus has no class - add a line for it"
            yield FormatError(source, 0, 0, "R509", message)
