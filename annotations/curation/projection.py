"""From the accepted items of a curation to its digital abstract, and from this to annotations of every kind. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from annotations.curation.contents import (
    Content,
    read_annotation_content,
    read_content_sources,
    read_interaction_content,
)
from annotations.curation.states import ItemKind
from annotations.digital_abstract import DigitalAbstract, Interaction, Participant, Source, SourcedAnnotation
from annotations.identifiers.psi_mi_terms import PSI_MI_NAMESPACE
from annotations.schema import (
    PAIR_RELATION_TYPE,
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_relation,
)

GENE_DATABASES = ("uniprot", "ncbigene")
ORGANISM_DATABASE = "ncbitaxon"
# Bait, enzyme and the like: in a complex, the one that all others are paired with.
BAIT_ROLE = "MI:0496"
# What a curator of interactions looks for in every article; the other kinds are stored if there is anything.
ALWAYS_STORED_KINDS = (
    Kind.TAXON,
    Kind.NORMALIZATION,
    Kind.METHOD,
    Kind.PAIR,
    Kind.PASSAGE,
    Kind.CLASSIFICATION,
)


@dataclass(frozen=True, slots=True)
class AcceptedItem:
    """An accepted item with its content, and those whose proposal was taken over."""

    kind: ItemKind
    content: Content
    sources: tuple[Source, ...] = ()


def build_digital_abstract(items: Iterable[AcceptedItem], *, nothing_found: bool = False) -> DigitalAbstract:
    """The record of the accepted items, in their order. What people accept has no confidence of a program."""
    interactions, organisms, annotations = [], [], []
    organism_sources: dict[int, tuple[Source, ...]] = {}
    for item in items:
        # The content has the sources of what was taken over from a file.
        sources = tuple(dict.fromkeys((*read_content_sources(item.content), *item.sources)))
        if item.kind is ItemKind.INTERACTION:
            interactions.append(replace(read_interaction_content(item.content), sources=sources))
            continue
        annotation = replace(read_annotation_content(item.content), confidence=None, rank=None)
        if item.kind is not ItemKind.ORGANISM:
            annotations.append(SourcedAnnotation(annotation, sources))
            continue
        taxon = int(annotation.identifier)
        organisms.append(taxon)
        if sources:
            organism_sources[taxon] = tuple(dict.fromkeys((*organism_sources.get(taxon, ()), *sources)))
    return DigitalAbstract(
        tuple(interactions),
        tuple(organisms),
        tuple(annotations),
        nothing_found=nothing_found,
        organism_sources=organism_sources,
    )


def list_annotations_of_abstract(abstract: DigitalAbstract) -> dict[Kind, list[AnnotationData]]:
    """The annotations of each kind that the record states, each once; ranks by their order.

    Kinds of ALWAYS_STORED_KINDS are there even if empty. An article with an interaction is relevant, one in which
    nothing was found is not; without either, the class is left out. A complex gives the pairs of its bait with each
    other participant, or without a bait all pairs. Interactions that do not take place give no pair.
    """
    by_kind: dict[Kind, list[AnnotationData]] = {kind: [] for kind in ALWAYS_STORED_KINDS}
    for annotation in _iter_annotations_of_abstract(abstract):
        by_kind.setdefault(annotation.kind, []).append(annotation)
    unique = {kind: _keep_first_of_each_key(found) for kind, found in by_kind.items()}
    if not unique[Kind.CLASSIFICATION]:
        del unique[Kind.CLASSIFICATION]
    return unique


def _keep_first_of_each_key(annotations: Iterable[AnnotationData]) -> list[AnnotationData]:
    by_key: dict[tuple[object, ...], AnnotationData] = {}
    for annotation in annotations:
        by_key.setdefault(annotation.key, annotation)
    return list(by_key.values())


def _iter_annotations_of_abstract(abstract: DigitalAbstract) -> Iterator[AnnotationData]:
    for taxon in abstract.organisms:
        yield AnnotationData(Kind.TAXON, database=ORGANISM_DATABASE, identifier=str(taxon))
    for interaction in abstract.interactions:
        yield from _iter_annotations_of_interaction(interaction)
    for sourced in abstract.annotations:
        yield sourced.annotation
    if abstract.interactions or abstract.nothing_found:
        yield AnnotationData(Kind.CLASSIFICATION, relevant=bool(abstract.interactions))


def _iter_annotations_of_interaction(interaction: Interaction) -> Iterator[AnnotationData]:
    for participant in interaction.participants:
        yield _make_participant_annotation(participant)
    for method in filter(None, interaction.methods):
        yield AnnotationData(Kind.METHOD, database=PSI_MI_NAMESPACE, identifier=method)
    yield _make_interaction_relation(interaction)
    if interaction.negative:
        return
    for one, other in list_participant_pairs(interaction):
        if one.database != other.database or one.database not in GENE_DATABASES:
            continue
        pair = AnnotationData(
            Kind.PAIR,
            interaction.confidence,
            database=one.database,
            identifier=one.identifier,
            partner=other.identifier,
        )
        yield pair
        for passage in interaction.iter_evidence():
            yield replace(pair, kind=Kind.PASSAGE, text=passage.text)


def _make_participant_annotation(participant: Participant) -> AnnotationData:
    kind = Kind.NORMALIZATION if participant.entity.database in GENE_DATABASES else Kind.ENTITY
    database, identifier = participant.entity
    return AnnotationData(kind, database=database, identifier=identifier, taxon=participant.taxon)


def list_participant_pairs(interaction: Interaction) -> Sequence[tuple[EntityId, EntityId]]:
    """The pairs of a complex: its bait with each other participant, or all pairs; of one that acts on itself, one."""
    participants = interaction.participants
    if len(participants) == 1:
        return [(participants[0].entity, participants[0].entity)]
    bait = next((each for each in participants if each.experimental_role == BAIT_ROLE), None)
    if bait is None:
        return [(one.entity, other.entity) for one, other in combinations(participants, 2)]
    return [(bait.entity, other.entity) for other in participants if other is not bait]


def _make_interaction_relation(interaction: Interaction) -> AnnotationData:
    """The whole interaction as one relation: complexes, directions, and the type; the method if there is one alone."""
    participants = interaction.participants if len(interaction.participants) > 1 else interaction.participants * 2
    methods = [method for method in interaction.methods if method]
    qualifiers: Mapping[str, str] = {
        **(
            {"interaction-type": _format_qualifier_curie(interaction.interaction_type)}
            if interaction.interaction_type
            else {}
        ),
        **({"method": _format_qualifier_curie(methods[0])} if len(methods) == 1 else {}),
        **({"negated": "true"} if interaction.negative else {}),
    }
    return make_relation(
        PAIR_RELATION_TYPE,
        [RelationArgument(identifiers=(each.entity,)) for each in participants],
        directed=interaction.directed,
        qualifiers=qualifiers,
        evidence=[Span(*passage.span) for passage in interaction.iter_evidence()],
        confidence=interaction.confidence,
    )


def _format_qualifier_curie(term: str) -> str:
    return f"mi:{term.removeprefix('MI:')}"
