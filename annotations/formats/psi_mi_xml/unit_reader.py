"""Reads the units of an entry of PSI-MI XML: experiments, interactors and interactions."""

import re
from collections.abc import Iterator

from annotations.digital_abstract import EvidencePassage, Source
from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.annotated_text.mentions import LeftOut
from annotations.formats.articles.parsed_article import ArticleIds, parse_article_id_or_empty
from annotations.formats.digital_abstracts.parsed_abstract import Publication
from annotations.formats.errors import quote_file_text
from annotations.formats.psi_mi_xml.entry_attributes import InvalidAttributeError, parse_origin_and_name
from annotations.formats.psi_mi_xml.nodes import XmlNode
from annotations.formats.psi_mi_xml.units import (
    UnitExperiment,
    UnitInteraction,
    UnitInteractor,
    UnitParticipant,
    UnresolvedReference,
)
from annotations.formats.psi_mi_xml.vocabulary import (
    AUTHOR_CONFIDENCE,
    AUTHOR_NAME,
    COMMENT,
    DIRECTED_ATTRIBUTE,
    DOI_DATABASE,
    EVIDENCE_ATTRIBUTE,
    FIGURE_LEGEND,
    GENE_NAME,
    IDENTITY,
    NO_METHOD_ATTRIBUTE,
    PSI_MI_DATABASE,
    PUBMED,
    PUBMED_CENTRAL,
    SOURCE_ATTRIBUTE,
    SPAN_ATTRIBUTE,
    TITLE,
    URL,
    Term,
    parse_database_reference,
)
from annotations.schema import EntityId, Span

INVALID_REFERENCE, MISSING_PART, INVALID_VALUE = "R743", "R744", "R745"
TERM_ID = re.compile(r"MI:[0-9]{4}", re.ASCII)
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,10}", re.ASCII)
SPAN_TEXT = re.compile(r"([0-9]{1,10})-([0-9]{1,10})", re.ASCII)
# UniProt writes a chain of a protein after its accession.
CHAIN_SUFFIX = re.compile(r"-PRO_[0-9]{10}$", re.ASCII)
TRUE_TEXTS, FALSE_TEXTS = ("true", "1"), ("false", "0")
PUBLICATION_DATABASES = (PUBMED, DOI_DATABASE, PUBMED_CENTRAL)
# What a participant or an interaction may have and a digital abstract has no place for.
UNKEPT_ELEMENTS = {
    "stoichiometry": "stoichiometries",
    "stoichiometryRange": "stoichiometries",
    "featureList": "features of participants",
    "parameterList": "parameters",
    "inferredInteractionList": "inferred interactions",
    "causalRelationshipList": "causal relations",
    "cooperativeEffectList": "cooperative effects",
    "bindingFeatureList": "features of participants",
}
NO_PLACE = "a digital abstract has no place for them"


class UnitReader:
    """Reads units; what is wrong goes to faults, and what is valid and cannot be kept to left_out.

    experiments, interactors: those that were read, by their ids.
    """

    def __init__(self, faults: PositionedFaults) -> None:
        self.faults = faults
        self.left_out: list[LeftOut] = []
        self.experiments: dict[str, UnitExperiment] = {}
        self.interactors: dict[str, UnitInteractor] = {}

    def note_fault(self, rule: str, node: XmlNode, message: str) -> None:
        self.faults.add(rule, node.line, node.column, message)

    def leave_out(self, part: str, reason: str, line: int) -> None:
        self.left_out.append(LeftOut(self.faults.source, part, reason, line))

    def read_experiment(self, node: XmlNode) -> UnitExperiment:
        method = node.find("interactionDetectionMethod")
        if method is None:
            message = "the experiment has no interactionDetectionMethod - add the method"
            self.note_fault(MISSING_PART, node, message)
        is_method_unknown = any(each.attributes.get("name") == NO_METHOD_ATTRIBUTE for each in iter_attributes(node))
        term = "" if is_method_unknown else self.read_term(method, "methods")
        experiment = UnitExperiment(self.read_publication(node), term, tuple(self.iter_passages(node)))
        self.experiments.setdefault(node.attributes.get("id", ""), experiment)
        return experiment

    def read_publication(self, node: XmlNode) -> Publication:
        """What the experiment says about its article. Without an identifier, its URL or first other reference."""
        bibref = node.find("bibref")
        if bibref is None:
            self.note_fault(MISSING_PART, node, "the experiment has no bibref - add the reference of the article")
            return Publication()
        values = {each.attributes.get("name", "").lower(): each.stripped for each in iter_attributes(bibref)}
        references = [(db.lower(), id_) for db, id_ in map(get_reference, iter_references(bibref))]
        ids = _find_article_ids(references)
        others = [f"{db}:{id_}" for db, id_ in references if id_]
        source_id = "" if ids else values.get(URL.name) or next(iter(others), "")
        return Publication(ids, source_id, "" if ids else values.get(TITLE.name, ""))

    def iter_passages(self, node: XmlNode) -> Iterator[EvidencePassage]:
        """The passages of an experiment: each attribute with one is followed by its span, and by its figure if any."""
        attributes = [(each.attributes.get("name", ""), each) for each in iter_attributes(node)]
        has_passages = any(name == EVIDENCE_ATTRIBUTE for name, _ in attributes)
        for position, (name, attribute) in enumerate(attributes):
            if name == EVIDENCE_ATTRIBUTE:
                following = dict(_iter_until_next_passage(attributes, position + 1))
                if span := self.read_span(attribute, following.get(SPAN_ATTRIBUTE)):
                    figure = following.get(FIGURE_LEGEND.name)
                    yield EvidencePassage(span, attribute.text, figure.text if figure else "")
            elif name == FIGURE_LEGEND.name and not has_passages:
                self.leave_out("figures", "they belong to an experiment without passages", attribute.line)

    def read_span(self, passage: XmlNode, span: XmlNode | None) -> Span | None:
        match = SPAN_TEXT.fullmatch(span.text) if span else None
        if match and int(match[1]) < int(match[2]):
            return Span(int(match[1]), int(match[2]))
        problem = f"the passage is not followed by an attribute {SPAN_ATTRIBUTE} with its start and end"
        self.note_fault(INVALID_VALUE, span or passage, f"{problem} - write it, such as 120-184")
        return None

    def read_interactor(self, node: XmlNode) -> UnitInteractor:
        label = node.find("names", "shortLabel")
        gene_name = next(_iter_aliases(node, GENE_NAME), None)
        entity = self.find_interactor_entity(node, label.text if label else "")
        name = gene_name or (label.stripped if label else "")
        taxon = self.read_taxon(node.find("organism"))
        interactor = UnitInteractor(entity, name, taxon, find_term_id(node.find("interactorType")))
        self.interactors.setdefault(node.attributes.get("id", ""), interactor)
        return interactor

    def find_interactor_entity(self, node: XmlNode, label: str) -> EntityId:
        """The identity in UniProt, else that in any database that the site knows, else the first reference or name."""
        references = [get_reference(each) for each in iter_identities(node)]
        entities = [parse_database_reference(*each) for each in references if all(each)]
        if not entities:
            if not label.strip():
                problem = "the interactor has neither a name nor a reference to a database"
                self.note_fault(MISSING_PART, node, f"{problem} - add a primaryRef")
            return EntityId("", label)
        known = [each for each in entities if each.database]
        entity = next((each for each in known if each.database == "uniprot"), next(iter(known), entities[0]))
        if entity.database == "uniprot" and CHAIN_SUFFIX.search(entity.identifier):
            self.leave_out("chains of proteins", "the identifier of the protein is kept", node.line)
            return EntityId(entity.database, CHAIN_SUFFIX.sub("", entity.identifier))
        return entity

    def read_taxon(self, organism: XmlNode | None) -> int | None:
        """The taxon; None for negative numbers, with which PSI-MI says that there is no organism."""
        if organism is None:
            return None
        text = organism.attributes.get("ncbiTaxId", "").strip()
        if not WHOLE_NUMBER.fullmatch(text):
            problem = f"ncbiTaxId is {quote_file_text(text)}"
            self.note_fault(INVALID_VALUE, organism, f"{problem} - write a number of NCBI Taxonomy, such as 9606")
            return None
        return int(text) if int(text) > 0 else None

    def read_interaction(self, node: XmlNode) -> UnitInteraction:
        types = list(node.iter_children("interactionType"))
        for further in types[1:]:
            self.leave_out("interaction types", "an interaction has one", further.line)
        self.leave_out_unkept_elements(node)
        if self.read_flag(node, "modelled"):
            self.leave_out("statements that an interaction is modelled", NO_PLACE, node.line)
        values = [(each.attributes.get("name", ""), each.text) for each in iter_attributes(node)]
        return UnitInteraction(
            tuple(self.iter_experiments(node)),
            tuple(self.iter_participants(node)),
            self.read_term(types[0], "interaction types") if types else "",
            (DIRECTED_ATTRIBUTE, "true") in values,
            self.read_flag(node, "negative"),
            self.find_author_confidence(node),
            tuple(_iter_comments(values)),
            tuple(self.iter_sources(node)),
            node.line,
        )

    def iter_sources(self, node: XmlNode) -> Iterator[Source]:
        for attribute in iter_attributes(node):
            if attribute.attributes.get("name") == SOURCE_ATTRIBUTE:
                try:
                    origin, name = parse_origin_and_name(attribute.text)
                except InvalidAttributeError as error:
                    self.note_fault(INVALID_VALUE, attribute, str(error))
                else:
                    yield Source(name, origin)

    def iter_experiments(self, node: XmlNode) -> Iterator[UnitExperiment | UnresolvedReference]:
        for each in node.iter_list("experimentList", "experimentDescription", "experimentRef"):
            yield UnresolvedReference(each) if each.name == "experimentRef" else self.read_experiment(each)

    def iter_participants(self, node: XmlNode) -> Iterator[UnitParticipant]:
        participants = list(node.iter_list("participantList", "participant"))
        if not participants:
            self.note_fault(MISSING_PART, node, "the interaction has no participant - add a participantList")
        for participant in participants:
            self.leave_out_unkept_elements(participant)
            roles = list(participant.iter_list("experimentalRoleList", "experimentalRole"))
            for further in roles[1:]:
                self.leave_out("experimental roles", "a participant has one", further.line)
            yield UnitParticipant(
                tuple(self.iter_participant_interactors(participant)),
                UnresolvedReference(found) if (found := participant.find("interactionRef")) else None,
                next(_iter_aliases(participant, AUTHOR_NAME), ""),
                self.read_term(participant.find("biologicalRole"), "biological roles"),
                self.read_term(roles[0] if roles else None, "experimental roles"),
                participant.line,
            )

    def iter_participant_interactors(self, participant: XmlNode) -> Iterator[UnitInteractor | UnresolvedReference]:
        given = list(participant.iter_children("interactorRef", "interactor"))
        for candidate in participant.iter_list("interactorCandidateList", "interactorCandidate"):
            given += candidate.iter_children("interactorRef", "interactor")
        if not given and participant.find("interactionRef") is None:
            problem = "the participant has no interactor"
            fix = "add an interactorRef, an interactor or an interactionRef"
            self.note_fault(MISSING_PART, participant, f"{problem} - {fix}")
        for each in given:
            yield UnresolvedReference(each) if each.name == "interactorRef" else self.read_interactor(each)

    def leave_out_unkept_elements(self, node: XmlNode) -> None:
        for child in node.children:
            if part := UNKEPT_ELEMENTS.get(child.name):
                self.leave_out(part, NO_PLACE, child.line)

    def read_term(self, node: XmlNode | None, part: str) -> str:
        """The PSI-MI identifier of a term; "" without one, which is left out as this part."""
        term = find_term_id(node)
        if node is not None and not term:
            self.leave_out(part, "they have no PSI-MI identifier", node.line)
        return term

    def read_flag(self, node: XmlNode, name: str) -> bool:
        found = node.find(name)
        if found is None or found.stripped in FALSE_TEXTS:
            return False
        if found.stripped not in TRUE_TEXTS:
            problem = f"{name} is {quote_file_text(found.stripped)}"
            self.note_fault(INVALID_VALUE, found, f"{problem} - write true or false")
        return True

    def find_author_confidence(self, node: XmlNode) -> float | None:
        """The confidence of the author in (0, 1]; others, and the scores of databases, are left out."""
        kept: float | None = None
        for confidence in node.iter_list("confidenceList", "confidence"):
            value = _parse_confidence_or_none(confidence)
            if value is None or kept is not None:
                self.leave_out("confidences", "only one of the author, above 0 and at most 1, is kept", confidence.line)
            else:
                kept = value
        return kept


def _parse_confidence_or_none(confidence: XmlNode) -> float | None:
    value = confidence.find("value")
    if find_term_id(confidence.find("unit")) != AUTHOR_CONFIDENCE.id or value is None:
        return None
    try:
        number = float(value.stripped)
    except ValueError:
        return None
    return number if 0 < number <= 1 else None


def find_term_id(node: XmlNode | None) -> str:
    """The first identifier in PSI-MI among the references; "" without one."""
    for database, identifier in map(get_reference, iter_references(node) if node else ()):
        if database.lower() in (PSI_MI_DATABASE.name, "psimi", "mi") and TERM_ID.fullmatch(identifier):
            return identifier
    return ""


def iter_references(node: XmlNode) -> Iterator[XmlNode]:
    return node.iter_list("xref", "primaryRef", "secondaryRef")


def iter_identities(node: XmlNode) -> Iterator[XmlNode]:
    """The primary reference, and others that name the same thing."""
    for reference in iter_references(node):
        if reference.name == "primaryRef" or reference.attributes.get("refTypeAc") == IDENTITY.id:
            yield reference


def get_reference(node: XmlNode) -> tuple[str, str]:
    """Database and identifier; empty if missing."""
    return node.attributes.get("db", "").strip(), node.attributes.get("id", "").strip()


def iter_attributes(node: XmlNode) -> Iterator[XmlNode]:
    return node.iter_list("attributeList", "attribute")


def _iter_aliases(node: XmlNode, kind: Term) -> Iterator[str]:
    for alias in node.iter_list("names", "alias"):
        if alias.attributes.get("typeAc") == kind.id or alias.attributes.get("type", "").lower() == kind.name:
            yield alias.text


def _iter_comments(values: list[tuple[str, str]]) -> Iterator[str]:
    """Comments, and the figures that show an interaction in a file of another program."""
    for name, text in values:
        if name.lower() == COMMENT.name:
            yield text
        elif name.lower() == FIGURE_LEGEND.name:
            yield f"Figure legend: {text.strip()}"


def _iter_until_next_passage(attributes: list[tuple[str, XmlNode]], start: int) -> Iterator[tuple[str, XmlNode]]:
    for position in range(start, len(attributes)):
        if attributes[position][0] == EVIDENCE_ATTRIBUTE:
            return
        yield attributes[position]


def _find_article_ids(references: list[tuple[str, str]]) -> ArticleIds:
    """The public identifiers among (database in lower case, identifier)."""
    pubmed, doi, pmc = (
        next((parse_article_id_or_empty(id_) for db, id_ in references if db in (each.name, each.id)), ArticleIds())
        for each in PUBLICATION_DATABASES
    )
    return ArticleIds(pubmed.pmid, pmc.pmcid, doi.doi)
