"""What is proposed to a curator: the consensus of producers on each kind of annotation, as items to decide on. Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from annotations.curation.contents import build_annotation_content, build_interaction_content
from annotations.curation.projection import ORGANISM_DATABASE
from annotations.curation.states import ItemKind
from annotations.digital_abstract import Detection, EvidencePassage, Interaction, Participant
from annotations.entity_types import get_type_key
from annotations.identifiers.gene_keys import EntriesByIdentifier
from annotations.results.consensus.methods import ConsensusRule
from annotations.results.consensus.voting import AgreedAnnotation, build_consensus
from annotations.schema import AnnotationData, EntityId, Kind, Shape, Span
from bcms.lib.text import strip_case_spaces_and_dashes

# The kinds of items that annotations of each kind propose; passages are evidence of pairs, and classes are no items.
ITEM_KINDS = {
    Kind.TAXON: ItemKind.ORGANISM,
    Kind.NORMALIZATION: ItemKind.ENTITY,
    Kind.ENTITY: ItemKind.ENTITY,
    Kind.MENTION: ItemKind.MENTION,
    Kind.METHOD: ItemKind.METHOD,
    Kind.PAIR: ItemKind.INTERACTION,
    Kind.RELATION: ItemKind.RELATION,
    Kind.LABEL: ItemKind.LABEL,
}
LONGEST_KEY = 400

AnnotationsByKind = Mapping[Kind, Mapping[int, Sequence[AnnotationData]]]


# A tuple, as a long article has thousands.
class CandidateData(NamedTuple):
    """One proposed item; the fields are those of the model Candidate, without its position."""

    kind: ItemKind
    key: str
    content: Mapping[str, object]
    producers: Sequence[int]
    confidence: float | None
    group: str = ""


def build_candidates(
    annotations: AnnotationsByKind,
    make_rule: Callable[[Kind], ConsensusRule],
    entries: EntriesByIdentifier,
    article_text: str,
) -> list[CandidateData]:
    """The items on which the producers agree, by kind; within a kind, the most confident first, then by votes.

    annotations: by kind and producer, with current identifiers and calibrated confidences. Organisms are also those of
    genes and proteins.
    """
    agreed = {
        kind: build_consensus(kind, by_producer, make_rule(kind), entries)
        for kind, by_producer in annotations.items()
        if kind in ITEM_KINDS
    }
    passages = _collect_passages(annotations.get(Kind.PASSAGE, {}), article_text)
    proposed = chain.from_iterable(
        _build_candidates_of_kind(kind, each, entries, passages) for kind, each in agreed.items()
    )
    candidates = [
        *_propose_organisms(agreed.get(Kind.TAXON, ()), agreed.get(Kind.NORMALIZATION, ()), entries),
        *proposed,
    ]
    unique = {(each.kind, each.key): each for each in reversed(candidates) if len(each.key) <= LONGEST_KEY}
    return sorted(
        unique.values(), key=lambda each: (each.kind, -(each.confidence or 0.0), -len(each.producers), each.key)
    )


def _build_candidates_of_kind(
    kind: Kind,
    agreed: Iterable[AgreedAnnotation],
    entries: EntriesByIdentifier,
    passages: Mapping[tuple[object, ...], Sequence[EvidencePassage]],
) -> Iterator[CandidateData]:
    if kind is Kind.TAXON:
        return
    item_kind, is_pair, is_mention = ITEM_KINDS[kind], kind is Kind.PAIR, kind is Kind.MENTION
    for each in agreed:
        annotation = each.annotation
        content: Mapping[str, object]
        if is_pair:
            content = build_interaction_content(
                _build_interaction(annotation, entries, passages.get(annotation.key, ()))
            )
        else:
            content = build_annotation_content(_add_taxon_of_entry(annotation, entries))
        yield CandidateData(
            item_kind,
            build_item_key(annotation),
            content,
            each.producers,
            annotation.confidence,
            build_mention_group(annotation) if is_mention else "",
        )


def _add_taxon_of_entry(annotation: AnnotationData, entries: EntriesByIdentifier) -> AnnotationData:
    """The annotation without a rank; a gene or protein with the organism of its entry, by which lists are filtered."""
    entry = entries.get((annotation.database, annotation.identifier))
    taxon = annotation.taxon or (entry.taxon if entry and annotation.shape is Shape.ENTITY else None)
    # Nothing changes in mentions, of which a long article has thousands.
    if annotation.rank is None and annotation.taxon == taxon:
        return annotation
    return replace(annotation, rank=None, taxon=taxon)


def build_item_key(annotation: AnnotationData) -> str:
    """What names the item of an annotation within its kind: an identifier, a position with a type, and so on."""
    match annotation.shape:
        case Shape.MENTION:
            parts = ",".join([f"{start}-{end}" for start, end in annotation.parts])
            return f"{parts}:{get_type_key(annotation.type)}"
        case Shape.ENTITY:
            return EntityId(annotation.database, annotation.identifier).curie
        case Shape.LABEL:
            return f"{annotation.type}={annotation.text}"
        case _:
            return _build_relation_key(annotation)


def _build_relation_key(annotation: AnnotationData) -> str:
    """The type with the arguments: entities by their CURIEs, mentions without links by their positions."""
    ends = [
        "+".join(sorted({each.curie for each in argument.identifiers}))
        or ",".join(f"{start}-{end}" for start, end in argument.spans)
        for argument in annotation.arguments
    ]
    if not annotation.is_directed:
        ends.sort()
    return f"{annotation.relation_type}:{'|'.join(ends)}"


def build_mention_group(annotation: AnnotationData) -> str:
    """Equal for mentions of one text, without case, spaces and dashes."""
    return strip_case_spaces_and_dashes(annotation.text)[:LONGEST_KEY]


def _propose_organisms(
    named: Iterable[AgreedAnnotation], genes: Iterable[AgreedAnnotation], entries: EntriesByIdentifier
) -> Iterator[CandidateData]:
    """The organisms that producers name, and those of the genes and proteins that they report."""
    producers: dict[int, set[int]] = defaultdict(set)
    confidences: dict[int, float | None] = {}
    for each in named:
        if each.annotation.identifier.isdecimal():
            taxon = int(each.annotation.identifier)
            producers[taxon].update(each.producers)
            confidences[taxon] = each.annotation.confidence
    for each in genes:
        gene = each.annotation
        entry = entries.get((gene.database, gene.identifier))
        gene_taxon = gene.taxon or (entry.taxon if entry else None)
        if gene_taxon:
            producers[gene_taxon].update(each.producers)
    for taxon, proposing in producers.items():
        annotation = AnnotationData(Kind.TAXON, database=ORGANISM_DATABASE, identifier=str(taxon))
        yield CandidateData(
            ItemKind.ORGANISM,
            build_item_key(annotation),
            build_annotation_content(annotation),
            sorted(proposing),
            confidences.get(taxon),
        )


def _build_interaction(
    pair: AnnotationData, entries: EntriesByIdentifier, passages: Sequence[EvidencePassage]
) -> Interaction:
    """The interaction that a pair proposes: two participants, and the passages that were given for it."""
    participants = []
    for identifier in (pair.identifier, pair.partner):
        entry = entries.get((pair.database, identifier))
        participants.append(
            Participant(
                EntityId(pair.database, identifier),
                entry.symbol or entry.name if entry else "",
                entry.taxon if entry else None,
            )
        )
    detections = (Detection("", tuple(passages)),) if passages else ()
    return Interaction(tuple(participants), detections=detections)


def _collect_passages(
    by_producer: Mapping[int, Sequence[AnnotationData]], article_text: str
) -> Mapping[tuple[object, ...], Sequence[EvidencePassage]]:
    """The different passages of each pair that are literally in the text, by the key of the pair."""
    passages: dict[tuple[object, ...], dict[str, EvidencePassage]] = defaultdict(dict)
    for each in chain.from_iterable(by_producer.values()):
        start = article_text.find(each.text) if each.text else -1
        if start >= 0:
            pair = replace(each, kind=Kind.PAIR, text="")
            passages[pair.key].setdefault(each.text, EvidencePassage(Span(start, start + len(each.text)), each.text))
    return {key: list(by_text.values()) for key, by_text in passages.items()}
