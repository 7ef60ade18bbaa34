"""Accepted alternatives of genes: BioCreative II scored a mention of one as the gene that it overlaps."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from django.conf import settings
from django.db.models import F

from annotations.formats.errors import RefusedFileError
from annotations.formats.placed_faults import PlacedFaults
from evaluation.measures.spans import Span
from evaluation.mentions.files import laid_on, read_gene_file
from evaluation.mentions.models import Alternatives
from evaluation.models import GoldStandard, Phase
from evaluation.run_files import in_order
from evaluation.sealing import open_sealed, seal

Places = Mapping[int, Collection[Span]]
Accepted = Mapping[str, Collection[Span]]


@dataclass(frozen=True, slots=True)
class AlternativesFile:
    """A file of alternatives as it was sent; source: its name."""

    content: bytes
    source: str


def read_alternatives(own: AlternativesFile, known: Mapping[str, int], texts: Mapping[int, str]) -> Places:
    """The places by article; known: {name: article}, texts: {article: its text}. RefusedFileError with all faults.

    Of annotated text they are the mentions of the type Alternative, or where there is none of genes.
    """
    file, faults = read_gene_file(BytesIO(own.content), own.source), PlacedFaults(own.source)
    file = replace(file, mentions=file.alternatives or file.mentions)
    for mention in file.mentions:
        if mention.document not in known:
            said = f"article {mention.document} is not in the corpus of this phase - remove the line or add the article"
            faults.add("R508", mention.line, min(mention.line, 1), said)
    try:
        laid = laid_on(file, known, texts).findings
    except RefusedFileError as error:
        raise RefusedFileError(sorted([*faults.told(), *error.faults], key=in_order)) from None
    if faults:
        raise RefusedFileError(faults.told())
    found: dict[int, set[Span]] = {}
    for mention, finding in laid.items():
        found.setdefault(known[mention.document], set()).add(Span(finding.start or 0, finding.end or 0))
    return found


def alternatives_within(content: bytes, source: str) -> AlternativesFile | None:
    """The file of a gold standard, if it has alternatives, too. RefusedFileError when it cannot be read."""
    return AlternativesFile(content, source) if read_gene_file(BytesIO(content), source).alternatives else None


def keep(gold: GoldStandard, own: AlternativesFile | None, places: Places, key: RSAPublicKey | None) -> None:
    """Store the alternatives of a gold standard in the place of earlier ones, None for none; key: to seal them with."""
    before = Alternatives.objects.filter(gold=gold)
    checksum = sha256(own.content).hexdigest() if own else None
    if before.values_list("checksum", flat=True).first() != checksum:
        Phase.objects.filter(pk=gold.phase_id).update(revision=F("revision") + 1)
    before.delete()
    if own is not None and checksum is not None:
        body = packed(places)
        Alternatives.objects.create(
            gold=gold, places=seal(body, key) if key else body, checksum=checksum, source=own.source[:300]
        )


def packed(places: Places) -> bytes:
    return json.dumps({article: sorted(spans) for article, spans in sorted(places.items())}).encode()


def unseal_alternatives(gold: GoldStandard, places: Places | None) -> None:
    """Store openly what places_of gave before the gold standard was opened."""
    if places is not None:
        Alternatives.objects.filter(gold=gold).update(places=packed(places))


def places_of(gold: GoldStandard) -> Places | None:
    """The places by article, None where there are none. SealError where they are sealed and cannot be opened."""
    own = Alternatives.objects.filter(gold=gold).first()
    if own is None:
        return None
    body = bytes(own.places)
    content = open_sealed(body, settings.GOLD_PRIVATE_KEY) if gold.producer_id is None else body
    return {int(article): frozenset(Span(*span) for span in spans) for article, spans in json.loads(content).items()}


def accepted_by(gold: GoldStandard, names: Mapping[int, str]) -> Accepted | None:
    """As places_of, by the names of these articles, {key: name}."""
    places = places_of(gold)
    return None if places is None else {name: places[pk] for pk, name in names.items() if pk in places}
