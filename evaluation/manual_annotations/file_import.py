"""Import the annotations of authors and curators from files, as Results of their own producer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Now

from annotations.articles.models import Corpus
from annotations.formats.errors import RefusedFileError
from annotations.formats.tsv.gold_reader import MOST_FAULTS
from annotations.results.models import Producer, Result
from annotations.results.storage import store_annotations
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.models import Challenge, Task
from evaluation.errors import ChallengeError
from evaluation.gold.phase_reader import (
    KnownArticle,
    build_unsaved_result,
    index_articles_noting_moved,
    iter_foreign_and_repeated_line_faults,
    load_corpus_articles_by_names_except_pmcid,
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
    """articles: number of annotated articles; repeated: those of them that had been annotated before."""

    annotation_set: ManualAnnotationSet
    articles: int
    repeated: int


def import_all_manual_annotations_or_refuse_file(
    task: Task, corpus: Corpus, file: ManualAnnotationFile
) -> ManualImport:
    """Import a file of annotations of one kind in a corpus.

    Raises RefusedFileError with all faults, and ChallengeError for passages, for a file without articles and for a
    file imported before; then nothing is stored.
    """
    if task.kind == Kind.PASSAGE:
        raise ChallengeError(f"The passages of {task} are judged on this site: collect them and appoint judges.")
    if task.settings is not None:
        raise ChallengeError(
            f"Manual annotations of {task}, which has settings, cannot be imported. Import them with the articles, as "
            "annotated text."
        )
    articles = load_corpus_articles_by_names_except_pmcid(corpus)
    annotations, articles_by_id = _read_manual_annotations(task, corpus, articles, file)
    # An article without a class is not a classified one, even if it was read.
    add_unnamed = file.read_all_articles and task.kind != Kind.CLASSIFICATION
    annotated = {pk: article for pk, article in articles_by_id.items() if add_unnamed or pk in annotations}
    if not annotated:
        raise ChallengeError("The file names no article; check that it is the right file.")
    return _store_manual_annotations(task, corpus, file, annotated, annotations)


def _read_manual_annotations(
    task: Task, corpus: Corpus, articles: Mapping[str, KnownArticle], file: ManualAnnotationFile
) -> tuple[ImportedAnnotations, dict[int, KnownArticle]]:
    """Read annotations by key of the article from a file in any gold standard format, and all articles by key.

    Raises RefusedFileError with all faults.
    """
    lines, faults = read_task_gold_noting_faults(file.content, task, corpus, articles, file.name)
    faults += iter_foreign_and_repeated_line_faults(articles, lines, file.name)
    if faults:
        raise RefusedFileError(sorted(faults, key=lambda fault: (fault.line, fault.column))[:MOST_FAULTS])
    annotations: dict[int, list[AnnotationData]] = {}
    for line in lines:
        annotations.setdefault(articles[line.article].id, []).append(line.annotation)
    moved = {articles[line.article].id for line in lines if line.moved}
    return annotations, index_articles_noting_moved(articles, moved)


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
