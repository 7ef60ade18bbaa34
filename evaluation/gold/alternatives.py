"""Accepted alternatives of gene mentions.

In BioCreative II, a predicted mention that equals an accepted alternative counts as the gold mention it overlaps.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from django.conf import settings
from django.db.models import F

from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.errors import RefusedFileError
from evaluation.challenges.models import Phase
from evaluation.gold.models import Alternatives, GoldStandard
from evaluation.gold.sealing import seal_content, unseal_content
from evaluation.measures.mentions.spans import Span
from evaluation.runs.files.mention_reader import locate_mentions, read_gene_mention_file
from evaluation.runs.files.phase_checks import compute_fault_sort_key

AlternativeSpans = Mapping[int, Collection[Span]]
AcceptedSpans = Mapping[str, Collection[Span]]


@dataclass(frozen=True, slots=True)
class AlternativesFile:
    """An uploaded file of alternatives; source: its name."""

    content: bytes
    source: str


def read_alternative_spans(
    upload: AlternativesFile, known: Mapping[str, int], texts: Mapping[int, str]
) -> AlternativeSpans:
    """Read a file of alternatives as {article id: spans}.

    known: {article name: article id}; texts: {article id: text}. In annotated text, alternatives are the mentions of
    type Alternative or, if there is none, all mentions of genes. RefusedFileError with all faults of the file.
    """
    file, faults = read_gene_mention_file(BytesIO(upload.content), upload.source), PositionedFaults(upload.source)
    file = replace(file, mentions=file.alternatives or file.mentions)
    for mention in file.mentions:
        if mention.document not in known:
            message = (
                f"article {mention.document} is not in the corpus of this phase - remove the line or add the article"
            )
            faults.add("R508", mention.line, min(mention.line, 1), message)
    try:
        located = locate_mentions(file, known, texts).annotations
    except RefusedFileError as error:
        raise RefusedFileError(sorted([*faults.list_faults(), *error.faults], key=compute_fault_sort_key)) from None
    if faults:
        raise RefusedFileError(faults.list_faults())
    spans: dict[int, set[Span]] = {}
    for mention, annotation in located.items():
        spans.setdefault(known[mention.document], set()).add(Span(annotation.start or 0, annotation.end or 0))
    return spans


def find_inline_alternatives(content: bytes, source: str) -> AlternativesFile | None:
    """The file of a gold standard as a file of alternatives, None if it has none. RefusedFileError if unreadable."""
    return AlternativesFile(content, source) if read_gene_mention_file(BytesIO(content), source).alternatives else None


def store_alternatives(
    gold: GoldStandard, upload: AlternativesFile | None, spans: AlternativeSpans, key: RSAPublicKey | None
) -> None:
    """Replace the alternatives of a gold standard.

    upload: the file, None for no alternatives; spans: its content; key: to seal them with, None to store them openly.
    """
    before = Alternatives.objects.filter(gold=gold)
    checksum = sha256(upload.content).hexdigest() if upload else None
    if before.values_list("checksum", flat=True).first() != checksum:
        Phase.objects.filter(pk=gold.phase_id).update(revision=F("revision") + 1)
    before.delete()
    if upload is not None and checksum is not None:
        body = encode_alternatives(spans)
        Alternatives.objects.create(
            gold=gold, places=seal_content(body, key) if key else body, checksum=checksum, source=upload.source[:300]
        )


def encode_alternatives(spans: AlternativeSpans) -> bytes:
    """JSON: {article id: [[start, end], ...]}."""
    return json.dumps({article: sorted(in_article) for article, in_article in sorted(spans.items())}).encode()


def store_unsealed_alternatives(gold: GoldStandard, spans: AlternativeSpans | None) -> None:
    """Store openly what find_decrypted_alternatives returned before the gold standard was opened."""
    if spans is not None:
        Alternatives.objects.filter(gold=gold).update(places=encode_alternatives(spans))


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


def find_accepted_spans(gold: GoldStandard, names: Mapping[int, str]) -> AcceptedSpans | None:
    """The alternatives in these articles as {article name: spans}, None if there are none.

    names: {article id: name}. SealError if they are sealed and cannot be opened.
    """
    spans = find_decrypted_alternatives(gold)
    return None if spans is None else {name: spans[pk] for pk, name in names.items() if pk in spans}
