"""A digital abstract as JSON-LD with the types and properties of schema.org, those of Bioschemas in it included.

The article is a ScholarlyArticle about its molecules. The record is a Dataset, each interaction a Claim in it that is
based on quotations of the article. Molecules interact (bioChemInteraction) if the article says so. Source:
https://schema.org/version/latest
"""

from collections.abc import Iterator, Sequence

from annotations.digital_abstract import Contributor, Detection, Interaction, Participant
from annotations.formats.digital_abstracts.entity_iris import (
    build_entity_iri_or_empty,
    build_orcid_iri,
    build_organism_iri,
    build_term_iri,
    list_article_iris,
)
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract, ParticipantNames
from annotations.identifiers.curies import format_curie_for_readers
from annotations.schema import EntityId

SCHEMA_ORG_CONTEXT = "https://schema.org"
PSI_MI_URL = "http://purl.obolibrary.org/obo/mi.owl"
# The types of entries of a database; others are BioChemEntity.
ENTRY_TYPES = {"uniprot": "Protein", "ncbigene": "Gene", "hgnc": "Gene", "chebi": "MolecularEntity"}
JsonLd = dict[str, object]


def build_schema_org_graph(exported: ExportedAbstract, sentences: Sequence[str]) -> JsonLd:
    """The JSON-LD document. sentences: one for each interaction, in their order."""
    molecules = _Molecules(exported)
    return {
        "@context": SCHEMA_ORG_CONTEXT,
        "@graph": [
            _build_article(exported, molecules),
            _build_data_set(exported, sentences, molecules),
        ],
    }


class _Molecules:
    """The participants by their identifiers, each with those that it interacts with."""

    def __init__(self, exported: ExportedAbstract) -> None:
        self.exported = exported
        self.participants: dict[EntityId, Participant] = {}
        self.partners: dict[EntityId, dict[EntityId, None]] = {}
        for interaction in exported.abstract.interactions:
            for participant in interaction.participants:
                self.participants.setdefault(participant.entity, participant)
            if not interaction.negative:
                self.add_partners(interaction)

    def add_partners(self, interaction: Interaction) -> None:
        for position, participant in enumerate(interaction.participants):
            others = [each.entity for index, each in enumerate(interaction.participants) if index != position]
            partners = self.partners.setdefault(participant.entity, {})
            partners.update(dict.fromkeys(others or [participant.entity]))

    def build_id(self, entity: EntityId) -> str:
        """The IRI of the entity, or a fragment of the page."""
        number = list(self.participants).index(entity) + 1
        return build_entity_iri_or_empty(entity) or f"{self.exported.url}#participant-{number}"

    def iter_nodes(self) -> Iterator[JsonLd]:
        for entity, participant in self.participants.items():
            entry = self.exported.entries.get(entity, ParticipantNames())
            names = dict.fromkeys((participant.name, entry.symbol, entry.name, *entry.synonyms))
            name = self.exported.get_participant_name(participant)
            yield _drop_empty(
                {
                    "@type": ENTRY_TYPES.get(entity.database, "BioChemEntity"),
                    "@id": self.build_id(entity),
                    "name": name,
                    "identifier": format_curie_for_readers(entity),
                    "alternateName": [each for each in names if each and each != name],
                    "taxonomicRange": self.build_organism(participant.taxon),
                    "bioChemInteraction": [{"@id": self.build_id(each)} for each in self.partners.get(entity, ())],
                }
            )

    def build_organism(self, taxon: int | None) -> JsonLd:
        if taxon is None:
            return {}
        name = self.exported.organisms.get(taxon, "")
        identifier = f"NCBITaxon:{taxon}"
        return _drop_empty({"@type": "Taxon", "@id": build_organism_iri(taxon), "name": name, "identifier": identifier})


def _build_article(exported: ExportedAbstract, molecules: _Molecules) -> JsonLd:
    article = exported.article
    texts = {passage.type: passage.text for passage in reversed(article.passages)}
    return _drop_empty(
        {
            "@type": "ScholarlyArticle",
            "@id": exported.url,
            "url": exported.url,
            "headline": texts.get("title", ""),
            "abstract": "\n".join(passage.text for passage in article.passages if passage.type == "abstract"),
            "author": [{"@type": "Person", "name": name} for name in article.authors],
            "isPartOf": {"@type": "Periodical", "name": article.journal} if article.journal else {},
            "datePublished": str(article.year or ""),
            "sameAs": list_article_iris(article.ids),
            "about": list(molecules.iter_nodes()),
        }
    )


def _build_data_set(exported: ExportedAbstract, sentences: Sequence[str], molecules: _Molecules) -> JsonLd:
    abstract = exported.abstract
    claims = [
        _build_claim(exported, number, interaction, sentence, molecules)
        for number, (interaction, sentence) in enumerate(zip(abstract.interactions, sentences, strict=True), 1)
    ]
    return _drop_empty(
        {
            "@type": "Dataset",
            "@id": f"{exported.url}#structured-digital-abstract",
            "name": "Structured digital abstract",
            "description": "Molecular interactions that the article reports, as checked by people.",
            "isBasedOn": {"@id": exported.url},
            "creator": [_build_person(contributor) for contributor in abstract.contributors],
            "dateModified": abstract.updated,
            "hasPart": claims,
        }
    )


def _build_person(contributor: Contributor) -> JsonLd:
    orcid = build_orcid_iri(contributor.orcid) if contributor.orcid else ""
    return _drop_empty({"@type": "Person", "@id": orcid, "name": contributor.name})


def _build_claim(
    exported: ExportedAbstract, number: int, interaction: Interaction, sentence: str, molecules: _Molecules
) -> JsonLd:
    terms = [*filter(None, (interaction.interaction_type,)), *interaction.methods]
    return _drop_empty(
        {
            "@type": "Claim",
            "@id": f"{exported.url}#interaction-{number}",
            "text": sentence,
            "about": [{"@id": molecules.build_id(each.entity)} for each in interaction.participants],
            "keywords": [_build_defined_term(exported, term) for term in terms],
            "isBasedOn": [
                each for detection in interaction.detections for each in _iter_quotations(exported, detection)
            ],
        }
    )


def _build_defined_term(exported: ExportedAbstract, term: str) -> JsonLd:
    return {
        "@type": "DefinedTerm",
        "@id": build_term_iri(term),
        "termCode": term,
        "name": exported.get_term_name(term),
        "inDefinedTermSet": PSI_MI_URL,
    }


def _iter_quotations(exported: ExportedAbstract, detection: Detection) -> Iterator[JsonLd]:
    for passage in detection.evidence:
        yield _drop_empty(
            {
                "@type": "Quotation",
                "text": passage.text,
                "isPartOf": {"@id": exported.url},
                "name": passage.figure,
            }
        )


def _drop_empty(members: JsonLd) -> JsonLd:
    return {name: value for name, value in members.items() if value}
