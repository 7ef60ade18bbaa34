"""Store gold standards: the annotations of a file become the Results of a producer of type gold.

The gold standard of a test is sealed instead as soon as it is checked, and becomes Results when it is published. Until
then only the scoring worker can read it. No part of a gold standard is ever logged.
"""

from collections.abc import Mapping
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.results.models import Producer, Result
from annotations.results.storage import store_annotations
from annotations.schema import Kind
from evaluation.challenges.models import Phase, Task
from evaluation.challenges.phases.events import PhaseEventType, record_phase_event
from evaluation.errors import ChallengeError
from evaluation.gold.alternatives import (
    AlternativesFile,
    find_alternatives_within_gold_file,
    replace_alternatives_revising_phase_if_changed,
)
from evaluation.gold.checksums import compute_keyed_checksum, compute_plain_checksum
from evaluation.gold.models import GoldStandard
from evaluation.gold.phase_reader import (
    GoldAnnotations,
    KnownArticle,
    build_unsaved_result,
    find_faults_of_alternatives,
    read_checked_gold_and_corpus_articles,
    read_corpus_alternatives,
    sort_distinct_faults_by_file,
)
from evaluation.gold.sealing import seal_content
from evaluation.runs.disclosure import publish_challenge_producers
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event

RESULTS_PER_INSERT = 5000


def store_gold_from_file(task: Task, phase: Phase, path: Path | str, origin: str = "") -> GoldStandard:
    """Store the gold standard of a task and phase from a file, replacing an earlier one.

    origin: where it comes from, empty for the name of the file. A file with faults is refused as a whole:
    RefusedFileError with every fault. OSError if the file cannot be read; ValueError for a kind without gold standard
    files; otherwise as store_gold_sealed_or_open.
    """
    path = Path(path)
    return store_gold_sealed_or_open(task, phase, path.read_bytes(), path.name, origin=origin)


def store_gold_sealed_or_open(
    task: Task,
    phase: Phase,
    content: bytes,
    file_name: str,
    alternatives: AlternativesFile | None = None,
    origin: str = "",
    warnings: list[FormatError] | None = None,
    opaque_by_document: Mapping[str, str | None] | None = None,
) -> GoldStandard:
    """Check and store the gold standard of a task and phase, replacing an earlier one.

    content, file_name: the file; alternatives: a second file of accepted alternatives, for mentions only; origin: where
    the gold standard comes from, empty for the name of the file; warnings: a list that gets those of a valid file,
    which may quote it; opaque_by_document: as of read_checked_gold_and_corpus_articles. RefusedFileError with every
    fault of both files. ChallengeError for passages, for alternatives of other kinds, and if it has to be sealed and
    the site has no key.
    """
    if alternatives is not None and not task.has_gene_mentions:
        raise ChallengeError(
            f"Only tasks of gene mentions can have alternatives, not {task}. Upload the gold standard alone."
        )
    if task.kind == Kind.PASSAGE:
        raise ChallengeError(f"The passages of {task} are judged on this site. Collect them and add judges.")
    try:
        checked = read_checked_gold_and_corpus_articles(task, phase, content, file_name, opaque_by_document)
    except RefusedFileError as error:
        faults = find_faults_of_alternatives(task, phase, content, file_name, alternatives, opaque_by_document)
        raise RefusedFileError(sort_distinct_faults_by_file([*error.faults, *faults], file_name)) from None
    if task.has_gene_mentions:
        alternatives = alternatives or find_alternatives_within_gold_file(content, file_name)
    spans = read_corpus_alternatives(phase.corpus, alternatives, opaque_by_document) if alternatives else {}
    key, origin = get_site_public_key() if must_seal_gold(task, phase) else None, origin or file_name
    with transaction.atomic(savepoint=False):
        if key is not None:
            gold = _store_sealed_gold(task, phase, seal_content(content, key), content, origin, opaque_by_document)
        else:
            # The documents that are left out may be those of a test.
            keyed = None in (opaque_by_document or {}).values()
            gold = lock_phase_and_replace_open_gold(
                task, phase, checked.articles, checked.annotations, content, origin, has_keyed_checksum=keyed
            )
        if task.has_gene_mentions:
            replace_alternatives_revising_phase_if_changed(gold, alternatives, spans, key)
    if warnings is not None:
        warnings += checked.warnings
    return gold


def must_seal_gold(task: Task, phase: Phase) -> bool:
    """Whether the gold standard has to be sealed: in a test, until the phase or the task is published."""
    if phase.sort != Phase.Type.TEST or phase.published:
        return False
    return not GoldStandard.objects.filter(task=task, phase=phase, published__isnull=False).exists()


def get_site_public_key() -> RSAPublicKey:
    """The public key of the site; ChallengeError if it has none."""
    key: RSAPublicKey | None = settings.GOLD_PUBLIC_KEY
    if key is None:
        raise ChallengeError(
            "This site has no key to seal the gold standard of a test. Ask its administrator to make one with "
            "`manage.py make_gold_key` and to set GOLD_PUBLIC_KEY, then upload the file again."
        )
    return key


@transaction.atomic
def _store_sealed_gold(
    task: Task,
    phase: Phase,
    sealed: bytes,
    content: bytes,
    source: str,
    opaque_by_document: Mapping[str, str | None] | None,
) -> GoldStandard:
    """Store a sealed gold standard. The Results of an earlier one are deleted, as they would reveal much of it."""
    Phase.objects.select_for_update().get(pk=phase.pk)
    gold = _find_or_build_gold(task, phase)
    before, gold.producer, gold.sealed = gold.producer, None, sealed
    gold.opaque_by_document = None if opaque_by_document is None else dict(opaque_by_document)
    _save_gold(gold, content, source, has_keyed_checksum=True)
    if before is not None:
        before.results.all().delete()
        before.delete()
    return gold


def _find_or_build_gold(task: Task, phase: Phase) -> GoldStandard:
    """The gold standard of the task and phase, or a new one that is not saved yet."""
    gold = GoldStandard.objects.filter(task=task, phase=phase).first() or GoldStandard()
    gold.task, gold.phase = task, phase
    return gold


def _save_gold(gold: GoldStandard, content: bytes, source: str, *, has_keyed_checksum: bool) -> None:
    """Save a gold standard with the checksum of its file. A replacement is logged on the page of the challenge."""
    plain, keyed = compute_plain_checksum(content), compute_keyed_checksum(content)
    if gold.pk is not None and gold.checksum not in (plain, keyed):
        record_phase_event(gold.phase, PhaseEventType.RESCORED, details=f"with a new gold standard of {gold.task}")
    gold.checksum = keyed if has_keyed_checksum else plain
    gold.source, gold.imported = source[:300], Now()
    gold.save()
    gold.refresh_from_db(fields=["checksum", "source", "imported"])
    record_audit_event(
        AuditAction.GOLD_STORED,
        f"{gold.task} of {gold.phase}",
        after={"sealed": gold.sealed is not None},
        challenge_id=gold.phase.challenge_id,
    )


@transaction.atomic
def lock_phase_and_replace_open_gold(
    task: Task,
    phase: Phase,
    article_by_id: Mapping[int, KnownArticle],
    annotations_by_article: GoldAnnotations,
    content: bytes,
    origin: str,
    *,
    has_keyed_checksum: bool = False,
) -> GoldStandard:
    """Store a checked gold standard: a Result for each article of the corpus, also for those without annotations.

    has_keyed_checksum: whether the file has more, which stays secret, so that nobody may verify guesses of it.
    """
    Phase.objects.select_for_update().get(pk=phase.pk)
    gold = _find_or_build_gold(task, phase)
    gold.producer = gold.producer or create_gold_producer(task, phase)
    gold.sealed = gold.opaque_by_document = None
    _save_gold(gold, content, origin, has_keyed_checksum=has_keyed_checksum)
    Result.objects.filter(producer=gold.producer, superseded__isnull=True).update(superseded=Now())
    results = Result.objects.bulk_create(
        (build_unsaved_result(article, task.kind, gold.producer) for article in article_by_id.values()),
        batch_size=RESULTS_PER_INSERT,
    )
    store_annotations(
        (result.pk, annotation)
        for result in results
        for annotation in annotations_by_article.get(result.article_id, ())
    )
    if phase.published is not None:
        publish_challenge_producers(Producer.objects.filter(gold=gold))
    return gold


def create_gold_producer(task: Task, phase: Phase) -> Producer:
    return Producer.objects.create(sort=Producer.Type.GOLD, name=f"Gold standard, {task.name} {phase.sort}")
