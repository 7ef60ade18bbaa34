"""Import the annotations of authors and curators from files, as Results of their own producer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Now

from annotations.articles.models import Corpus
from annotations.entity_types import fold_type_spelling
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.tsv.gold_reader import MOST_FAULTS
from annotations.results.models import Annotation, Producer, Result
from annotations.results.storage import store_annotations
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.models import Challenge, Task
from evaluation.errors import ChallengeError
from evaluation.gold.phase_reader import (
    CheckedGold,
    KnownArticle,
    build_unsaved_result,
    index_articles_noting_moved,
    iter_foreign_and_repeated_line_faults,
    load_corpus_articles_by_names_except_pmcid,
    read_checked_open_gold,
    read_task_gold_noting_faults,
)
from evaluation.manual_annotations.models import ManualAnnotationSet

MANUAL_RESULTS_PER_INSERT = 5000
MANUAL_PRODUCER_TYPES = (Producer.Type.AUTHOR, Producer.Type.CURATOR)
ImportedAnnotations = Mapping[int, Sequence[AnnotationData]]


@dataclass(frozen=True, slots=True)
class ManualAnnotationFile:
    """A file and its annotators. producer_type: one of MANUAL_PRODUCER_TYPES; producer_name: of the annotators.

    read_all_articles: they read every article of the corpus, so articles that the file does not name have no results.
    """

    producer_type: str
    producer_name: str
    content: bytes
    name: str
    read_all_articles: bool = False


@dataclass(frozen=True, slots=True)
class ManualImport:
    """articles: number of annotated articles; repeated: those of them that had been annotated before; warnings: what to
    look at in the file."""

    annotation_set: ManualAnnotationSet
    articles: int
    repeated: int
    warnings: Sequence[FormatError] = ()


def import_all_manual_annotations_or_refuse_file(
    task: Task, corpus: Corpus, file: ManualAnnotationFile
) -> ManualImport:
    """Import a file of annotations of one kind in a corpus.

    Raises RefusedFileError with all faults, and ChallengeError for passages, for a file without articles, for a file
    imported before, and for labels of another set than those of the same annotators; then nothing is stored.
    """
    if task.kind == Kind.PASSAGE:
        raise ChallengeError(f"The passages of {task} are judged on this site: collect them and appoint judges.")
    articles = load_corpus_articles_by_names_except_pmcid(corpus)
    checked = _read_manual_annotations(task, corpus, articles, file)
    # An article without a class is not a classified one, even if it was read.
    add_unnamed = file.read_all_articles and task.kind != Kind.CLASSIFICATION
    annotated = {pk: each for pk, each in checked.articles.items() if add_unnamed or pk in checked.annotations}
    if not annotated:
        raise ChallengeError("The file names no article; check that it is the right file.")
    imported = _store_manual_annotations(task, corpus, file, annotated, checked.annotations)
    return replace(imported, warnings=checked.warnings)


def _read_manual_annotations(
    task: Task, corpus: Corpus, articles: Mapping[str, KnownArticle], file: ManualAnnotationFile
) -> CheckedGold:
    """Read annotations from a file in any gold standard format.

    In files of tasks with settings, articles without an annotation are annotated, too. Raises RefusedFileError with all
    faults.
    """
    if (settings := task.get_settings()) is not None:
        placed = read_checked_open_gold(Kind(task.kind), settings, file.content, articles, corpus, file.name)
        return CheckedGold(placed.by_article, index_articles_noting_moved(articles, placed.moved), placed.warnings)
    lines, faults = read_task_gold_noting_faults(file.content, task, corpus, articles, file.name)
    faults += iter_foreign_and_repeated_line_faults(articles, lines, file.name)
    if faults:
        raise RefusedFileError(sorted(faults, key=lambda fault: (fault.line, fault.column))[:MOST_FAULTS])
    annotations: dict[int, list[AnnotationData]] = {}
    for line in lines:
        annotations.setdefault(articles[line.article].id, []).append(line.annotation)
    moved = {articles[line.article].id for line in lines if line.moved}
    return CheckedGold(annotations, index_articles_noting_moved(articles, moved))


@transaction.atomic
def _store_manual_annotations(
    task: Task,
    corpus: Corpus,
    file: ManualAnnotationFile,
    articles: Mapping[int, KnownArticle],
    annotations: ImportedAnnotations,
) -> ManualImport:
    """Store annotations of these articles as new Results, which supersede earlier ones of the producer.

    articles: {key: article}, also those without a result; raises ChallengeError for a file imported before.
    """
    challenge = Challenge.objects.select_for_update(no_key=True).get(pk=task.challenge_id)
    producer = _find_or_create_manual_producer(challenge, corpus, file)
    checksum = sha256(file.content).hexdigest()
    if ManualAnnotationSet.objects.filter(producer=producer, kind=task.kind, checksum=checksum).exists():
        raise ChallengeError(f"This file was already imported for {producer}; choose another file or another name.")
    _check_same_label_set(task, producer)
    values = {"challenge": challenge, "corpus": corpus, "source": file.name[:300], "checksum": checksum}
    annotation_set, _ = ManualAnnotationSet.objects.update_or_create(
        producer=producer, kind=task.kind, defaults={**values, "brought": Now()}
    )
    earlier = Result.objects.filter(producer=producer, kind=task.kind, article__in=articles, superseded__isnull=True)
    repeated = earlier.update(superseded=Now())
    results = Result.objects.bulk_create(
        (build_unsaved_result(article, task.kind, producer) for article in articles.values()),
        batch_size=MANUAL_RESULTS_PER_INSERT,
    )
    store_annotations(
        (result.pk, annotation) for result in results for annotation in annotations.get(result.article_id, ())
    )
    return ManualImport(annotation_set, len(results), repeated)


def _check_same_label_set(task: Task, producer: Producer) -> None:
    """ChallengeError if the annotators have labels of another set, which would become their earlier reading."""
    settings = task.get_settings()
    if settings is None or settings.label_set is None:
        return
    current = Annotation.objects.filter(
        result__producer=producer, result__superseded__isnull=True, result__kind=Kind.LABEL
    )
    other = next((name for name in current.values_list("type", flat=True).distinct() if name), None)
    if other is not None and fold_type_spelling(other) != fold_type_spelling(settings.label_set.name):
        raise ChallengeError(
            f"{producer} already has labels of {other}; choose another name for those of {settings.label_set.name}, "
            "such as the name of the annotators with that of the labels."
        )


def _find_or_create_manual_producer(challenge: Challenge, corpus: Corpus, file: ManualAnnotationFile) -> Producer:
    """Return the producer of these annotators in the corpus, or create one that only organizers see."""
    name = f"{file.producer_name}, {corpus}"[:200]
    existing = Producer.objects.filter(
        by_hand__challenge=challenge, by_hand__corpus=corpus, sort=file.producer_type, name=name
    )
    return existing.first() or Producer.objects.create(sort=file.producer_type, name=name)


def list_manual_annotation_sets(challenge: Challenge) -> QuerySet[ManualAnnotationSet]:
    """The sets of a challenge, each with its number of articles as `articles`; one query."""
    current = Q(producer__results__kind=F("kind"), producer__results__superseded__isnull=True)
    rows = ManualAnnotationSet.objects.filter(challenge=challenge).select_related("corpus", "producer")
    counted = rows.annotate(articles=Count("producer__results", filter=current))
    return counted.order_by("corpus__name", "kind", "producer__name", "pk")


@transaction.atomic
def delete_manual_set_and_orphan_producer(annotation_set: ManualAnnotationSet) -> None:
    """Delete a set with all its readings, and its producer if it has no other set."""
    producer = annotation_set.producer
    producer.results.filter(kind=annotation_set.kind).delete()
    annotation_set.delete()
    if not producer.by_hand.exists():
        producer.delete()
