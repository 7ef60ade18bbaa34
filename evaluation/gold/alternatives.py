"""Accepted alternatives of gene mentions.

In BioCreative II, a predicted mention that equals an accepted alternative counts as the gold mention it overlaps.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from io import BytesIO

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from django.conf import settings
from django.db.models import F, QuerySet

from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.errors import RefusedFileError
from annotations.schema import Span
from evaluation.challenges.models import Phase
from evaluation.gold.checksums import compute_keyed_checksum, compute_plain_checksum
from evaluation.gold.models import Alternatives, GoldStandard
from evaluation.gold.sealing import seal_content, unseal_content
from evaluation.runs.files.mention_reader import locate_mentions_or_refuse_file, read_gene_mention_file
from evaluation.runs.files.phase_checks import compute_fault_key_file_faults_last

AlternativeSpans = Mapping[int, Collection[Span]]
AcceptedSpans = Mapping[str, Collection[Span]]


@dataclass(frozen=True, slots=True)
class AlternativesFile:
    """An uploaded file of alternatives; source: its name."""

    content: bytes
    source: str


def read_alternative_spans(
    alternatives_file: AlternativesFile, article_id_by_name: Mapping[str, int], text_by_article_id: Mapping[int, str]
) -> AlternativeSpans:
    """Read a file of alternatives as {article id: spans}.

    article_id_by_name: {article name: article id}; text_by_article_id: {article id: text}. In annotated text,
    alternatives are the mentions of type Alternative or, if there is none, all mentions of genes. RefusedFileError with
    all faults of the file.
    """
    file, faults = (
        read_gene_mention_file(BytesIO(alternatives_file.content), alternatives_file.source),
        PositionedFaults(alternatives_file.source),
    )
    file = replace(file, mentions=file.alternatives or file.mentions)
    for mention in file.mentions:
        if mention.document not in article_id_by_name:
            message = (
                f"article {mention.document} is not in the corpus of this phase - remove the line or add the article"
            )
            faults.add("R508", mention.line, min(mention.line, 1), message)
    try:
        located = locate_mentions_or_refuse_file(file, article_id_by_name, text_by_article_id)
        if located.not_movable:
            raise RefusedFileError(located.not_movable)
    except RefusedFileError as error:
        raise RefusedFileError(
            sorted([*faults.list_faults(), *error.faults], key=compute_fault_key_file_faults_last)
        ) from None
    if faults:
        raise RefusedFileError(faults.list_faults())
    spans: dict[int, set[Span]] = {}
    for mention, annotation in located.annotations.items():
        spans.setdefault(article_id_by_name[mention.document], set()).add(
            Span(annotation.start or 0, annotation.end or 0)
        )
    return spans


def find_alternatives_within_gold_file(gold_content: bytes, file_name: str) -> AlternativesFile | None:
    """The file of a gold standard as a file of alternatives, None if it has none. RefusedFileError if unreadable."""
    return (
        AlternativesFile(gold_content, file_name)
        if read_gene_mention_file(BytesIO(gold_content), file_name).alternatives
        else None
    )


def replace_alternatives_revising_phase_if_changed(
    gold: GoldStandard,
    alternatives_file: AlternativesFile | None,
    spans: AlternativeSpans,
    sealing_key: RSAPublicKey | None,
) -> None:
    """Replace the alternatives of a gold standard.

    alternatives_file: the file, None for no alternatives; spans: its content; sealing_key: to seal them with, None to
    store them openly.
    """
    before = Alternatives.objects.filter(gold=gold)
    compute_checksum = compute_keyed_checksum if sealing_key else compute_plain_checksum
    checksum = compute_checksum(alternatives_file.content) if alternatives_file else None
    if before.values_list("checksum", flat=True).first() != checksum:
        Phase.objects.filter(pk=gold.phase_id).update(revision=F("revision") + 1)
    before.delete()
    if alternatives_file is not None and checksum is not None:
        body = encode_alternatives_as_json(spans)
        Alternatives.objects.create(
            gold=gold,
            places=seal_content(body, sealing_key) if sealing_key else body,
            checksum=checksum,
            source=alternatives_file.source[:300],
        )


def encode_alternatives_as_json(spans: AlternativeSpans) -> bytes:
    """JSON: {article id: [[start, end], ...]}."""
    return json.dumps({article: sorted(in_article) for article, in_article in sorted(spans.items())}).encode()


def overwrite_stored_alternatives_unsealed(gold: GoldStandard, decrypted_spans: AlternativeSpans | None) -> None:
    """Store openly what find_decrypted_alternatives returned before the gold standard was opened."""
    if decrypted_spans is not None:
        Alternatives.objects.filter(gold=gold).update(places=encode_alternatives_as_json(decrypted_spans))


def replace_articles_of_open_alternatives(
    golds: QuerySet[GoldStandard], new_id_by_article_id: Mapping[int, int]
) -> None:
    """Let the alternatives of gold standards that are not sealed refer to other articles, {old id: new id}."""
    for alternatives in Alternatives.objects.filter(gold__in=golds.filter(producer__isnull=False)):
        spans = {int(article): spans for article, spans in json.loads(bytes(alternatives.places)).items()}
        moved = {new_id_by_article_id.get(article, article): in_article for article, in_article in spans.items()}
        alternatives.places = encode_alternatives_as_json(moved)
        alternatives.save(update_fields=["places"])


def find_decrypted_alternatives(gold: GoldStandard) -> AlternativeSpans | None:
    """The alternatives as {article id: spans}, None if there are none. They are decrypted for every caller.

    SealError if they are sealed and cannot be opened.
    """
    stored = Alternatives.objects.filter(gold=gold).first()
    if stored is None:
        return None
    body = bytes(stored.places)
    content = unseal_content(body, settings.GOLD_PRIVATE_KEY) if gold.producer_id is None else body
    return {int(article): frozenset(Span(*span) for span in spans) for article, spans in json.loads(content).items()}


def find_accepted_spans_unsealing(gold: GoldStandard, name_by_article_id: Mapping[int, str]) -> AcceptedSpans | None:
    """The alternatives in these articles as {article name: spans}, None if there are none.

    name_by_article_id: {article id: name}. SealError if they are sealed and cannot be opened.
    """
    spans = find_decrypted_alternatives(gold)
    return None if spans is None else {name: spans[pk] for pk, name in name_by_article_id.items() if pk in spans}
