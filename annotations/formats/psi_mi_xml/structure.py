"""Which elements of PSI-MI XML may be in which: those that are read, as 2.5.3, 2.5.4 and 3.0.0 allow together.

Sources: MIF253.xsd, MIF254.xsd and MIF300.xsd of HUPO-PSI/miXML. What is in other elements is not checked.
"""

from collections.abc import Mapping

from annotations.formats.psi_mi_xml.vocabulary import PSI_MI_ROOT

TERM_CHILDREN = frozenset({"names", "xref", "attributeList", "experimentRefList"})
INTERACTION_CHILDREN = frozenset(
    {
        *("names", "xref", "availabilityRef", "availability", "experimentList", "participantList"),
        *("inferredInteractionList", "interactionType", "modelled", "intraMolecular", "negative", "confidenceList"),
        *("parameterList", "experimentalVariableValueList", "causalRelationshipList", "attributeList"),
    }
)
ORGANISM_CHILDREN = frozenset({"names", "cellType", "compartment", "tissue", "experimentRefList"})
PSI_MI_CHILDREN: Mapping[str, frozenset[str]] = {
    "": frozenset({PSI_MI_ROOT}),
    PSI_MI_ROOT: frozenset({"entry"}),
    "entry": frozenset(
        {"source", "availabilityList", "experimentList", "interactorList", "interactionList", "attributeList"}
    ),
    "experimentList": frozenset({"experimentDescription", "experimentRef"}),
    "experimentDescription": frozenset(
        {
            *("names", "bibref", "xref", "hostOrganismList", "interactionDetectionMethod"),
            *("participantIdentificationMethod", "featureDetectionMethod", "confidenceList", "variableParameterList"),
            "attributeList",
        }
    ),
    "bibref": frozenset({"xref", "attributeList"}),
    "xref": frozenset({"primaryRef", "secondaryRef"}),
    "names": frozenset({"shortLabel", "fullName", "alias"}),
    "attributeList": frozenset({"attribute"}),
    "interactorList": frozenset({"interactor"}),
    "interactor": frozenset({"names", "xref", "interactorType", "organism", "sequence", "attributeList"}),
    "organism": ORGANISM_CHILDREN,
    "interactionList": frozenset({"interaction", "abstractInteraction"}),
    "interaction": INTERACTION_CHILDREN,
    "abstractInteraction": INTERACTION_CHILDREN
    | {"bindingFeatureList", "organism", "interactorType", "evidenceType", "cooperativeEffectList"},
    "participantList": frozenset({"participant"}),
    "participant": frozenset(
        {
            *("names", "xref", "interactorRef", "interactor", "interactionRef", "interactorCandidateList"),
            *("participantIdentificationMethodList", "biologicalRole", "experimentalRoleList"),
            *("experimentalPreparationList", "experimentalInteractorList", "featureList", "hostOrganismList"),
            *("confidenceList", "parameterList", "stoichiometry", "stoichiometryRange", "attributeList"),
        }
    ),
    "interactorCandidateList": frozenset({"moleculeSetType", "interactorCandidate"}),
    "experimentalRoleList": frozenset({"experimentalRole"}),
    "confidenceList": frozenset({"confidence"}),
    "confidence": frozenset({"unit", "value", "experimentRefList", "type", "bibref"}),
    **dict.fromkeys(
        (
            *("interactionDetectionMethod", "interactionType", "interactorType", "biologicalRole"),
            *("experimentalRole", "moleculeSetType", "unit"),
        ),
        TERM_CHILDREN,
    ),
}
# Large, and not kept: what is in them is passed over.
PASSED_ELEMENTS = frozenset(
    {
        *("sequence", "featureList", "parameterList", "inferredInteractionList", "variableParameterList"),
        *("experimentalVariableValueList", "causalRelationshipList", "bindingFeatureList", "cooperativeEffectList"),
        *("experimentalInteractorList", "experimentalPreparationList", "participantIdentificationMethodList"),
        *("hostOrganismList", "availabilityList", "source", "cellType", "compartment", "tissue"),
    }
)
# Parts of an entry that are complete in themselves.
ENTRY_UNITS = frozenset({"experimentDescription", "interactor", "interaction", "abstractInteraction"})
