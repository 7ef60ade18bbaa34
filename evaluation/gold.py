"""Import a gold standard: a file becomes the Results of a gold producer over the corpus of a phase."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from django.db import transaction
from django.db.models.functions import Now

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.gold_tsv import MOST_FAULTS, GoldLine, scan_gold
from annotations.kinds import Finding, Kind
from annotations.models import Article, Corpus, Producer, Result
from annotations.storing import store_annotations
from evaluation.models import GoldStandard, Phase, Task

BATCH = 5000


@dataclass(frozen=True, slots=True)
class Known:
    """An article of the corpus: its key, the version of its text, and the name to call it by."""

    id: int
    text_version: int
    name: str


def import_gold(task: Task, phase: Phase, path: Path | str, source: str = "") -> GoldStandard:
    """Read the gold standard file of one task and phase and store it, in the place of an earlier one.

    source says where the file comes from (default: its name). RefusedFileError with every fault of the file, and then
    nothing is stored; OSError when it cannot be read; ValueError for a kind without gold standard files.
    """
    path = Path(path)
    return store_gold(task, phase, path.read_bytes(), source or path.name)


def store_gold(task: Task, phase: Phase, content: bytes, source: str) -> GoldStandard:
    """As import_gold, from the bytes of the file; source also names the file in the faults."""
    kind = Kind(task.kind)
    lines, faults = scan_gold(content, kind, source)
    names = articles_by_name(phase.corpus)
    faults += misfits(names, lines, source)
    # A faulty line may be the one that an article lacks, so this comes only when all lines are right.
    if kind == Kind.CLASSIFICATION and not faults:
        faults += unlabelled(names, lines, source)
    if faults:
        raise RefusedFileError(sorted(faults, key=lambda fault: (fault.line, fault.column))[:MOST_FAULTS])
    findings: dict[int, list[Finding]] = defaultdict(list)
    for line in lines:
        findings[names[line.article].id].append(line.finding)
    return replace(task, phase, {article.id: article for article in names.values()}, findings, content, source)


def articles_by_name(corpus: Corpus) -> dict[str, Known]:
    """The articles of a corpus under each of their names: PMID, DOI, opaque id."""
    names: dict[str, Known] = {}
    rows = Article.objects.filter(corpora=corpus).order_by("corpusarticle__position")
    for pk, version, pmid, doi, opaque in rows.values_list("pk", "text_version", "pmid", "doi", "opaque"):
        own = [name for name in (str(pmid or ""), doi, opaque) if name]
        names |= dict.fromkeys(own, Known(pk, version, opaque if corpus.blind else own[0]))
    return names


def misfits(names: Mapping[str, Known], lines: Sequence[GoldLine], source: str) -> Iterator[FormatError]:
    """Lines of articles that the corpus lacks (R508) or that say the same as another under another name (R510)."""
    said: dict[tuple[object, ...], int] = {}
    for line in lines:
        article = names.get(line.article)
        if article is None:
            message = f"article {line.article} is not in the corpus of this phase - remove the line or add the article"
            yield FormatError(source, line.line, 1, "R508", message)
            continue
        first = said.setdefault((article.id, line.finding.key), line.line)
        if first != line.line:
            message = f"line {first} says the same of this article under its other name - remove one of the two"
            yield FormatError(source, line.line, 1, "R510", message)


def unlabelled(names: Mapping[str, Known], lines: Sequence[GoldLine], source: str) -> Iterator[FormatError]:
    """Articles of the corpus that the file gives no class (R509)."""
    labelled = {names[line.article].id for line in lines}
    for article in dict.fromkeys(names.values()):
        if article.id not in labelled:
            message = f"article {article.name} of the corpus has no class - add a line for it"
            yield FormatError(source, 0, 0, "R509", message)


@transaction.atomic
def replace(
    task: Task,
    phase: Phase,
    articles: Mapping[int, Known],
    findings: Mapping[int, Sequence[Finding]],
    content: bytes,
    source: str,
) -> GoldStandard:
    """Store a checked gold standard; a Result for each article of the corpus, empty where nothing is right."""
    Phase.objects.select_for_update().get(pk=phase.pk)
    gold = GoldStandard.objects.filter(task=task, phase=phase).first() or GoldStandard(
        task=task, phase=phase, producer=gold_producer(task, phase)
    )
    gold.checksum, gold.source, gold.imported = sha256(content).hexdigest(), source[:300], Now()
    gold.save()
    gold.refresh_from_db()
    Result.objects.filter(producer=gold.producer, superseded__isnull=True).update(superseded=Now())
    results = Result.objects.bulk_create(
        (
            Result(article_id=pk, text_version=article.text_version, kind=task.kind, producer=gold.producer)
            for pk, article in articles.items()
        ),
        batch_size=BATCH,
    )
    store_annotations((result.pk, finding) for result in results for finding in findings.get(result.article_id, ()))
    return gold


def gold_producer(task: Task, phase: Phase) -> Producer:
    name = f"Gold standard, {task.name} {phase.sort}"
    return Producer.objects.create(sort=Producer.Sort.GOLD, name=name, public=phase.published is not None)
