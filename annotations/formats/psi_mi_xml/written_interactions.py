"""The interactions of an entry of PSI-MI XML as text, with the experiments and interactors that they refer to."""

from collections.abc import Iterator
from itertools import count

from annotations.digital_abstract import Detection, EvidencePassage, Interaction, Participant
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract, ParticipantNames
from annotations.formats.psi_mi_xml.markup import (
    Alias,
    Attribute,
    Reference,
    format_attributes,
    format_element,
    format_list,
    format_names,
    format_references,
    format_term,
    format_text_element,
)
from annotations.formats.psi_mi_xml.vocabulary import (
    AUTHOR_CONFIDENCE,
    AUTHOR_NAME,
    COMMENT,
    DIRECTED_ATTRIBUTE,
    EVIDENCE_ATTRIBUTE,
    FIGURE_LEGEND,
    GENE_NAME,
    NO_METHOD_ATTRIBUTE,
    OTHER_DATABASE,
    PSI_MI_DATABASES,
    SOURCE_ATTRIBUTE,
    SPAN_ATTRIBUTE,
    SYNONYM,
    TRUE_VALUE,
    UNSPECIFIED_METHOD,
    Term,
)
from annotations.schema import EntityId


class WrittenInteractions:
    """The experiments and interactors of an entry so far, as text; publication: the reference of its article.

    experiments: by method and passages, None for interactions without a method: PSI-MI XML 3.0 requires an experiment.
    interactors: by entity and taxon.
    """

    def __init__(self, exported: ExportedAbstract, publication: str) -> None:
        self.exported, self.publication = exported, publication
        self.experiments: dict[Detection | None, str] = {}
        self.interactors: dict[tuple[EntityId, int | None], str] = {}
        self.experiment_ids: dict[Detection | None, int] = {}
        self.interactor_ids: dict[tuple[EntityId, int | None], int] = {}
        self.numbers = count(1)

    def format_interaction(self, interaction: Interaction) -> str:
        names = "-".join(map(self.exported.get_participant_name, interaction.participants))
        return format_element(
            "interaction",
            format_names(names),
            format_list("experimentList", map(self.format_experiment_reference, interaction.detections or [None])),
            format_list("participantList", map(self.format_participant, interaction.participants)),
            self.format_term_if_given("interactionType", interaction.interaction_type),
            format_text_element("negative", TRUE_VALUE) if interaction.negative else "",
            _format_confidence(interaction.confidence),
            format_attributes(_iter_interaction_attributes(interaction)),
            id=next(self.numbers),
        )

    def format_term_if_given(self, element: str, term: str) -> str:
        return format_term(element, Term(term, self.exported.get_term_name(term))) if term else ""

    def format_experiment_reference(self, detection: Detection | None) -> str:
        if detection not in self.experiment_ids:
            self.experiment_ids[detection] = next(self.numbers)
            self.experiments[detection] = self.format_experiment(detection)
        return format_element("experimentRef", str(self.experiment_ids[detection]))

    def format_experiment(self, detection: Detection | None) -> str:
        if detection is None:
            method, attributes = UNSPECIFIED_METHOD, [Attribute(NO_METHOD_ATTRIBUTE, TRUE_VALUE)]
        else:
            method = Term(detection.method, self.exported.get_term_name(detection.method))
            attributes = [each for passage in detection.evidence for each in _iter_passage_attributes(passage)]
        return format_element(
            "experimentDescription",
            self.publication,
            format_term("interactionDetectionMethod", method),
            format_attributes(attributes),
            id=self.experiment_ids[detection],
        )

    def format_participant(self, participant: Participant) -> str:
        key = (participant.entity, participant.taxon)
        if key not in self.interactor_ids:
            self.interactor_ids[key] = next(self.numbers)
            self.interactors[key] = self.format_interactor(participant)
        roles = self.format_term_if_given("experimentalRole", participant.experimental_role)
        return format_element(
            "participant",
            format_names(aliases=[Alias(participant.name, AUTHOR_NAME)]) if participant.name else "",
            format_element("interactorRef", str(self.interactor_ids[key])),
            self.format_term_if_given("biologicalRole", participant.biological_role),
            format_list("experimentalRoleList", [roles]),
            id=next(self.numbers),
        )

    def format_interactor(self, participant: Participant) -> str:
        database, identifier = participant.entity
        entry = self.exported.entries.get(participant.entity, ParticipantNames())
        known = PSI_MI_DATABASES.get(database, OTHER_DATABASE)
        references = [Reference(known.name or database, known.id, known.prefix + identifier)] if database else []
        # Without a database, the short label is all that identifies the interactor.
        label = (entry.symbol or entry.name or identifier) if database else identifier
        aliases = [Alias(entry.symbol, GENE_NAME), *(Alias(each, SYNONYM) for each in entry.synonyms)]
        return format_element(
            "interactor",
            format_names(label, entry.name, aliases),
            format_references(references),
            format_term("interactorType", known.interactor_type),
            self.format_organism_if_known(participant.taxon),
            id=self.interactor_ids[participant.entity, participant.taxon],
        )

    def format_organism_if_known(self, taxon: int | None) -> str:
        if taxon is None:
            return ""
        name = self.exported.organisms.get(taxon, "")
        return format_element("organism", format_names(name, name) if name else "", ncbiTaxId=taxon)


def _format_confidence(confidence: float | None) -> str:
    if confidence is None:
        return ""
    unit = format_term("unit", AUTHOR_CONFIDENCE)
    value = format_text_element("value", repr(confidence))
    return format_element("confidenceList", format_element("confidence", unit, value))


def _iter_interaction_attributes(interaction: Interaction) -> Iterator[Attribute]:
    if interaction.comment:
        yield Attribute(COMMENT.name, interaction.comment, COMMENT.id)
    if interaction.directed:
        yield Attribute(DIRECTED_ATTRIBUTE, TRUE_VALUE)
    for source in interaction.sources:
        yield Attribute(SOURCE_ATTRIBUTE, f"{source.origin} {source.name}")


def _iter_passage_attributes(passage: EvidencePassage) -> Iterator[Attribute]:
    """The passage, its span and its figure, next to each other in this order, which tells passages apart."""
    yield Attribute(EVIDENCE_ATTRIBUTE, passage.text)
    yield Attribute(SPAN_ATTRIBUTE, f"{passage.span.start}-{passage.span.end}")
    if passage.figure:
        yield Attribute(FIGURE_LEGEND.name, passage.figure, FIGURE_LEGEND.id)
