"""Store gold standards: the annotations of a file become the Results of a producer of type gold.

The gold standard of a test is sealed instead as soon as it is checked, and becomes Results when it is published. Until
then only the scoring worker can read it. No part of a gold standard is ever logged.
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from annotations.formats.errors import RefusedFileError
from annotations.results.models import Producer, Result
from annotations.results.storage import store_annotations
from annotations.schema import Kind
from evaluation.challenges.models import Phase, Task
from evaluation.challenges.phases.events import PhaseEventType, record_phase_event
from evaluation.errors import ChallengeError
from evaluation.gold.alternatives import AlternativesFile, find_inline_alternatives, store_alternatives
from evaluation.gold.models import GoldStandard
from evaluation.gold.phase_reader import (
    GoldAnnotations,
    KnownArticle,
    list_alternatives_faults,
    read_corpus_alternatives,
    read_gold_for_phase,
    sort_faults_by_file,
)
from evaluation.gold.sealing import seal_content

RESULTS_PER_INSERT = 5000


def import_gold(task: Task, phase: Phase, path: Path | str, source: str = "") -> GoldStandard:
    """Store the gold standard of a task and phase from a file, replacing an earlier one.

    source: where it comes from, empty for the name of the file. A file with faults is refused as a whole:
    RefusedFileError with every fault. OSError if the file cannot be read; ValueError for a kind without gold standard
    files; otherwise as store_gold.
    """
    path = Path(path)
    return store_gold(task, phase, path.read_bytes(), path.name, source=source)


def store_gold(
    task: Task,
    phase: Phase,
    content: bytes,
    name: str,
    alternatives: AlternativesFile | None = None,
    source: str = "",
) -> GoldStandard:
    """Check and store the gold standard of a task and phase, replacing an earlier one.

    content, name: the file; alternatives: a second file of accepted alternatives, for mentions only; source: where the
    gold standard comes from, empty for the name of the file. RefusedFileError with every fault of both files.
    ChallengeError for passages, for alternatives of other kinds, and if it has to be sealed and the site has no key.
    """
    if alternatives is not None and task.kind != Kind.MENTION:
        raise ChallengeError(
            f"Only tasks of mentions can have alternatives, not {task}. Upload the gold standard alone."
        )
    if task.kind == Kind.PASSAGE:
        raise ChallengeError(f"The passages of {task} are judged on this site. Collect them and add judges.")
    try:
        annotations, articles = read_gold_for_phase(task, phase, content, name)
    except RefusedFileError as error:
        faults = list_alternatives_faults(task, phase, content, name, alternatives)
        raise RefusedFileError(sort_faults_by_file([*error.faults, *faults], name)) from None
    if task.kind == Kind.MENTION:
        alternatives = alternatives or find_inline_alternatives(content, name)
    spans = read_corpus_alternatives(phase.corpus, alternatives) if alternatives else {}
    key, source = require_public_key() if must_seal_gold(task, phase) else None, source or name
    with transaction.atomic(savepoint=False):
        if key is not None:
            gold = store_sealed_gold(task, phase, seal_content(content, key), content, source)
        else:
            gold = store_open_gold(task, phase, articles, annotations, content, source)
        if task.kind == Kind.MENTION:
            store_alternatives(gold, alternatives, spans, key)
    return gold


def must_seal_gold(task: Task, phase: Phase) -> bool:
    """Whether the gold standard has to be sealed: in a test, until the phase or the task is published."""
    if phase.sort != Phase.Type.TEST or phase.published:
        return False
    return not GoldStandard.objects.filter(task=task, phase=phase, published__isnull=False).exists()


def require_public_key() -> RSAPublicKey:
    """The public key of the site; ChallengeError if it has none."""
    key: RSAPublicKey | None = settings.GOLD_PUBLIC_KEY
    if key is None:
        raise ChallengeError(
            "This site has no key to seal the gold standard of a test. Ask its administrator to make one with "
            "`manage.py make_gold_key` and to set GOLD_PUBLIC_KEY, then upload the file again."
        )
    return key


@transaction.atomic
def store_sealed_gold(task: Task, phase: Phase, sealed: bytes, content: bytes, source: str) -> GoldStandard:
    """Store a sealed gold standard. The Results of an earlier one are deleted, as they would reveal much of it."""
    Phase.objects.select_for_update().get(pk=phase.pk)
    gold = find_or_build_gold(task, phase)
    before, gold.producer, gold.sealed = gold.producer, None, sealed
    save_gold(gold, content, source)
    if before is not None:
        before.results.all().delete()
        before.delete()
    return gold


def find_or_build_gold(task: Task, phase: Phase) -> GoldStandard:
    """The gold standard of the task and phase, or a new one that is not saved yet."""
    gold = GoldStandard.objects.filter(task=task, phase=phase).first() or GoldStandard()
    gold.task, gold.phase = task, phase
    return gold


def save_gold(gold: GoldStandard, content: bytes, source: str) -> None:
    """Save a gold standard with the checksum of its file. A replacement is logged on the page of the challenge."""
    checksum = sha256(content).hexdigest()
    if gold.pk is not None and gold.checksum != checksum:
        record_phase_event(gold.phase, PhaseEventType.RESCORED, details=f"with a new gold standard of {gold.task}")
    gold.checksum, gold.source, gold.imported = checksum, source[:300], Now()
    gold.save()
    gold.refresh_from_db(fields=["checksum", "source", "imported"])


@transaction.atomic
def store_open_gold(
    task: Task,
    phase: Phase,
    articles: Mapping[int, KnownArticle],
    annotations: GoldAnnotations,
    content: bytes,
    source: str,
) -> GoldStandard:
    """Store a checked gold standard: a Result for each article of the corpus, also for those without annotations."""
    Phase.objects.select_for_update().get(pk=phase.pk)
    gold = find_or_build_gold(task, phase)
    gold.producer, gold.sealed = gold.producer or create_gold_producer(task, phase), None
    save_gold(gold, content, source)
    Result.objects.filter(producer=gold.producer, superseded__isnull=True).update(superseded=Now())
    results = Result.objects.bulk_create(
        (
            Result(article_id=pk, text_version=article.text_version, kind=task.kind, producer=gold.producer)
            for pk, article in articles.items()
        ),
        batch_size=RESULTS_PER_INSERT,
    )
    store_annotations(
        (result.pk, annotation) for result in results for annotation in annotations.get(result.article_id, ())
    )
    return gold


def create_gold_producer(task: Task, phase: Phase) -> Producer:
    name = f"Gold standard, {task.name} {phase.sort}"
    return Producer.objects.create(sort=Producer.Type.GOLD, name=name, public=phase.published is not None)
