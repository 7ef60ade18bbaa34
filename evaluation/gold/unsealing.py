"""Read and open sealed gold standards, in the scoring worker, which has the private key."""

from django.conf import settings
from django.db import transaction

from annotations.formats.errors import RefusedFileError
from annotations.schema import AnnotationData
from evaluation.errors import SealError
from evaluation.gold.alternatives import find_decrypted_alternatives, overwrite_stored_alternatives_unsealed
from evaluation.gold.models import GoldStandard
from evaluation.gold.phase_reader import KnownArticle, read_checked_gold_and_corpus_articles
from evaluation.gold.sealing import unseal_content
from evaluation.gold.storage import lock_phase_and_replace_open_gold


def read_sealed_gold(gold: GoldStandard) -> dict[int, list[AnnotationData]]:
    """The annotations of a sealed gold standard, {article id: annotations} for every article of the corpus.

    SealError if it cannot be opened or no longer matches the corpus.
    """
    return _read_sealed_gold_file(gold)[0]


def _read_sealed_gold_file(
    gold: GoldStandard,
) -> tuple[dict[int, list[AnnotationData]], dict[int, KnownArticle], bytes]:
    """The annotations by article id, the articles of the corpus by id, and the content of the file.

    SealError if the file cannot be opened or no longer matches the corpus.
    """
    content = unseal_content(bytes(gold.sealed or b""), settings.GOLD_PRIVATE_KEY)
    try:
        checked = read_checked_gold_and_corpus_articles(
            gold.task, gold.phase, content, gold.source, gold.opaque_by_document
        )
    except RefusedFileError as error:
        # Without the cause and its faults, which quote the file.
        raise SealError(
            f"{len(error.faults)} lines of the sealed gold standard of {gold.task} no longer match the articles of the "
            "phase. Upload it again to see what is wrong."
        ) from None
    annotations, articles = checked.annotations, checked.articles
    return {pk: list(annotations.get(pk, ())) for pk in articles}, articles, content


def decrypt_and_store_gold_openly(gold: GoldStandard) -> GoldStandard:
    """Store a sealed gold standard as Results. SealError if it cannot be opened or no longer matches the corpus."""
    (annotations, articles, content), spans = _read_sealed_gold_file(gold), find_decrypted_alternatives(gold)
    with transaction.atomic():
        stored = lock_phase_and_replace_open_gold(
            gold.task,
            gold.phase,
            articles,
            annotations,
            content,
            gold.source,
            has_keyed_checksum=_has_file_further_secrets(gold),
        )
        overwrite_stored_alternatives_unsealed(stored, spans)
    return stored


def _has_file_further_secrets(gold: GoldStandard) -> bool:
    """Whether the file may have annotations that stay secret: of a corpus file, or of another task or phase."""
    same_file = GoldStandard.objects.filter(checksum=gold.checksum, producer__isnull=True).exclude(pk=gold.pk)
    stays_sealed = same_file.filter(publish_asked__isnull=True, phase__publish_asked__isnull=True)
    return gold.opaque_by_document is not None or stays_sealed.exists()
