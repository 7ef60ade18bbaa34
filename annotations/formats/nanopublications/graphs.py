"""An interaction of a digital abstract as the three graphs of a nanopublication: assertion, provenance and information.

Assertion: the interaction, a PSI-MI interaction type, has participants (RO_0000057) that are about an entity
(IAO_0000136) and have roles (RO_0000087), and evidence (RO_0002558) by detection methods, which are PSI-MI terms. Every
two entities interact (RO_0002436). The first participant of a directed interaction is its causal agent (RO_0002608).
If the article reports that molecules do not interact, nothing of this is stated: each pair is a negative property
assertion of OWL with its evidence. Provenance: the article and the passages that it is derived from, people, and the
systems that proposed it. Source: https://nanopub.net/guidelines/working_draft/
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import combinations

from rdflib import OWL, PROV, RDF, RDFS, XSD, Graph, Literal, Namespace, URIRef
from rdflib.namespace import DCTERMS, FOAF

from annotations.digital_abstract import Contributor, Interaction, Origin, Participant
from annotations.formats.digital_abstracts.entity_iris import (
    build_entity_iri_or_empty,
    build_orcid_iri,
    build_organism_iri,
    build_term_iri,
    list_article_iris,
)
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.identifiers.curies import format_curie_for_readers

# The names in a nanopublication until it is signed; afterwards they begin with its own address.
UNSIGNED = Namespace("http://purl.org/nanopub/temp/np#")
NANOPUBLICATION, ASSERTION = UNSIGNED[""], UNSIGNED["assertion"]
OBO = Namespace("http://purl.obolibrary.org/obo/")
PAV = Namespace("http://purl.org/pav/")
HAS_PARTICIPANT, HAS_ROLE, IS_ABOUT = OBO.RO_0000057, OBO.RO_0000087, OBO.IAO_0000136
HAS_EVIDENCE, HAS_CAUSAL_AGENT, INTERACTS_WITH = OBO.RO_0002558, OBO.RO_0002608, OBO.RO_0002436
IN_TAXON = OBO.RO_0002162
# The root of interaction types, for interactions whose type is not chosen.
ANY_INTERACTION_TYPE = "MI:0190"
CONTRIBUTIONS = {Origin.AUTHOR: PAV.authoredBy, Origin.CURATOR: PAV.curatedBy}


@dataclass(frozen=True, slots=True)
class NanopublicationGraphs:
    assertion: Graph = field(default_factory=Graph)
    provenance: Graph = field(default_factory=Graph)
    information: Graph = field(default_factory=Graph)


def build_nanopublication_graphs(
    exported: ExportedAbstract, interaction: Interaction, sentence: str, created: datetime, license_url: str
) -> NanopublicationGraphs:
    """The graphs of one interaction, without blank nodes.

    sentence: what the interaction is, for people; created: with a time zone.
    """
    graphs = NanopublicationGraphs()
    for graph in (graphs.assertion, graphs.provenance, graphs.information):
        for prefix, namespace in (("obo", OBO), ("prov", PROV), ("pav", PAV), ("dcterms", DCTERMS), ("owl", OWL)):
            graph.bind(prefix, namespace)
    _GraphBuilder(exported, interaction, graphs).build(sentence, created, license_url)
    return graphs


class _GraphBuilder:
    def __init__(self, exported: ExportedAbstract, interaction: Interaction, graphs: NanopublicationGraphs) -> None:
        self.exported, self.interaction, self.graphs = exported, interaction, graphs
        self.articles = [URIRef(iri) for iri in list_article_iris(exported.article.ids)] or [URIRef(exported.url)]

    def build(self, sentence: str, created: datetime, license_url: str) -> None:
        entities = [self.add_entity(number, each) for number, each in enumerate(self.interaction.participants, 1)]
        detections = self.add_detections()
        if self.interaction.negative:
            self.add_negative_assertions(entities, detections)
        else:
            self.add_interaction(entities, detections)
        self.add_provenance()
        self.add_information(sentence, created, license_url)

    def add_entity(self, number: int, participant: Participant) -> URIRef:
        """The entity with its name and organism; a name in this nanopublication if its database has no IRIs."""
        iri = build_entity_iri_or_empty(participant.entity)
        entity = URIRef(iri) if iri else UNSIGNED[f"entity-{number}"]
        self.state(entity, RDFS.label, Literal(self.exported.get_participant_name(participant)))
        self.state(entity, DCTERMS.identifier, Literal(format_curie_for_readers(participant.entity)))
        if participant.taxon is not None:
            organism = URIRef(build_organism_iri(participant.taxon))
            self.state(entity, IN_TAXON, organism)
            if name := self.exported.organisms.get(participant.taxon):
                self.state(organism, RDFS.label, Literal(name))
        return entity

    def state(self, subject: URIRef, predicate: URIRef, value: URIRef | Literal) -> None:
        self.graphs.assertion.add((subject, predicate, value))

    def add_detections(self) -> list[URIRef]:
        """One node for each detection method, with the name of the method."""
        nodes = []
        for number, detection in enumerate(self.interaction.detections, 1):
            nodes.append(UNSIGNED[f"detection-{number}"])
            self.state(nodes[-1], RDF.type, self.add_term(detection.method))
        return nodes

    def add_term(self, term: str) -> URIRef:
        iri = URIRef(build_term_iri(term))
        self.state(iri, RDFS.label, Literal(self.exported.get_term_name(term)))
        return iri

    def add_interaction(self, entities: list[URIRef], detections: list[URIRef]) -> None:
        node = UNSIGNED["interaction"]
        self.state(node, RDF.type, self.add_term(self.interaction.interaction_type or ANY_INTERACTION_TYPE))
        for number, (participant, entity) in enumerate(zip(self.interaction.participants, entities, strict=True), 1):
            role_bearer = UNSIGNED[f"participant-{number}"]
            self.state(node, HAS_PARTICIPANT, role_bearer)
            if self.interaction.directed and number == 1:
                self.state(node, HAS_CAUSAL_AGENT, role_bearer)
            self.state(role_bearer, IS_ABOUT, entity)
            for role in filter(None, (participant.biological_role, participant.experimental_role)):
                self.state(role_bearer, HAS_ROLE, self.add_term(role))
        for detection in detections:
            self.state(node, HAS_EVIDENCE, detection)
        for first, second in _iter_pairs(entities):
            self.state(first, INTERACTS_WITH, second)

    def add_negative_assertions(self, entities: list[URIRef], detections: list[URIRef]) -> None:
        for number, (first, second) in enumerate(_iter_pairs(entities), 1):
            node = UNSIGNED[f"negative-{number}"]
            self.state(node, RDF.type, OWL.NegativePropertyAssertion)
            self.state(node, OWL.sourceIndividual, first)
            self.state(node, OWL.assertionProperty, INTERACTS_WITH)
            self.state(node, OWL.targetIndividual, second)
            for detection in detections:
                self.state(node, HAS_EVIDENCE, detection)

    def add_provenance(self) -> None:
        provenance = self.graphs.provenance
        for article in self.articles:
            provenance.add((ASSERTION, PROV.wasDerivedFrom, article))
        self.add_passages()
        for number, contributor in enumerate(self.exported.abstract.contributors, 1):
            person = self.add_person(provenance, number, contributor)
            provenance.add((ASSERTION, PROV.wasAttributedTo, person))
            provenance.add((ASSERTION, CONTRIBUTIONS.get(contributor.origin, PAV.contributedBy), person))
        for number, source in enumerate(self.interaction.sources, 1):
            node = UNSIGNED[f"source-{number}"]
            provenance.add((ASSERTION, PROV.wasInfluencedBy, node))
            provenance.add((node, FOAF.name, Literal(source.name)))
            provenance.add((node, DCTERMS.type, Literal(source.origin.value)))
        if self.interaction.confidence is not None:
            # In decimals, because the shortest form of a double depends on the program that writes it.
            confidence = Literal(format(Decimal(repr(self.interaction.confidence)), "f"), datatype=XSD.decimal)
            provenance.add((ASSERTION, URIRef("https://schema.org/ratingValue"), confidence))
        if self.interaction.comment:
            provenance.add((ASSERTION, RDFS.comment, Literal(self.interaction.comment)))

    def add_passages(self) -> None:
        """Each passage once, quoted from the article; a detection is derived from those that report it."""
        nodes: dict[object, URIRef] = {}
        for number, detection in enumerate(self.interaction.detections, 1):
            for passage in detection.evidence:
                node = nodes.setdefault(passage, UNSIGNED[f"passage-{len(nodes) + 1}"])
                self.graphs.provenance.add((ASSERTION, PROV.wasDerivedFrom, node))
                self.graphs.provenance.add((UNSIGNED[f"detection-{number}"], PROV.wasDerivedFrom, node))
                self.graphs.provenance.add((node, PROV.value, Literal(passage.text)))
                for article in self.articles:
                    self.graphs.provenance.add((node, PROV.wasQuotedFrom, article))
                if passage.figure:
                    self.graphs.provenance.add((node, RDFS.label, Literal(passage.figure)))

    def add_information(self, sentence: str, created: datetime, license_url: str) -> None:
        information = self.graphs.information
        information.add((NANOPUBLICATION, DCTERMS.created, Literal(created.isoformat(), datatype=XSD.dateTime)))
        information.add((NANOPUBLICATION, DCTERMS.license, URIRef(license_url)))
        information.add((NANOPUBLICATION, RDFS.label, Literal(sentence)))
        information.add((NANOPUBLICATION, DCTERMS.isPartOf, URIRef(self.exported.url)))
        for number, contributor in enumerate(self.exported.abstract.contributors, 1):
            information.add((NANOPUBLICATION, DCTERMS.creator, self.add_person(information, number, contributor)))

    def add_person(self, graph: Graph, number: int, contributor: Contributor) -> URIRef:
        """The ORCID of a person, or a name in this nanopublication."""
        known = bool(contributor.orcid)
        person = URIRef(build_orcid_iri(contributor.orcid)) if known else UNSIGNED[f"contributor-{number}"]
        graph.add((person, FOAF.name, Literal(contributor.name)))
        return person


def _iter_pairs(entities: list[URIRef]) -> Iterator[tuple[URIRef, URIRef]]:
    """Every two entities; one alone with itself."""
    yield from combinations(entities, 2) if len(entities) > 1 else [(entities[0], entities[0])]
