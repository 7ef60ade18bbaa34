"""The rules of structured digital abstracts, as the manual lists them (R141 to R155)."""

from typing import NamedTuple

MOST_INTERACTIONS, MOST_PARTICIPANTS, MOST_METHODS, MOST_PASSAGES = 1_000, 64, 16, 100
MOST_ORGANISMS = 100
LONGEST_COMMENT, LONGEST_NAME, LONGEST_FIGURE, LONGEST_IDENTIFIER = 5_000, 255, 64, 200


class DigitalAbstractRule(NamedTuple):
    """One rule. title, a sentence, says what it requires and hint how to comply."""

    code: str
    title: str
    hint: str


PARTICIPANTS_RULE = DigitalAbstractRule(
    "R141",
    f"An interaction has 2 to {MOST_PARTICIPANTS} participants, or one that is marked as interacting with itself.",
    "Add the other participants. For a molecule that interacts with itself, choose the role self (MI:0503) or putative "
    "self (MI:0898).",
)
IDENTIFIER_RULE = DigitalAbstractRule(
    "R142",
    "A participant has an identifier in the form of its database.",
    "Search for the molecule and choose its entry, or correct the identifier (uniprot P04637, ncbigene 7157).",
)
ORGANISM_RULE = DigitalAbstractRule(
    "R143",
    "An organism is a number of the NCBI Taxonomy.",
    "Choose the organism from the list, or write its number, such as 9606.",
)
TERM_RULE = DigitalAbstractRule(
    "R144",
    "Methods, interaction types and roles are current terms of PSI-MI.",
    "Search for the term by its name, and choose it from the list.",
)
METHOD_RULE = DigitalAbstractRule(
    "R145",
    "A method is an interaction detection method, a term below MI:0001.",
    "Choose a method such as two hybrid (MI:0018).",
)
TYPE_RULE = DigitalAbstractRule(
    "R146",
    "The type of an interaction is a term below MI:0190.",
    "Choose a type such as physical association (MI:0915), or leave it open.",
)
ROLE_RULE = DigitalAbstractRule(
    "R147",
    "A biological role is a term below MI:0500, and an experimental role is one below MI:0495.",
    "Choose a role from the list of its kind, such as enzyme (MI:0501) bait (MI:0496) or unspecified role (MI:0499).",
)
SELF_RULE = DigitalAbstractRule(
    "R148",
    "A molecule that interacts with itself is marked as such.",
    "Choose the role self (MI:0503) or putative self (MI:0898), or correct the identifier of one of the two.",
)
REPEATED_METHOD_RULE = DigitalAbstractRule(
    "R149",
    "Each method of an interaction is given once.",
    "Put all passages of a method together.",
)
SPAN_RULE = DigitalAbstractRule(
    "R150",
    "An evidence passage lies within the text of the article.",
    "Select the passage in the text again.",
)
PASSAGE_RULE = DigitalAbstractRule(
    "R151",
    "The text of an evidence passage is that of the article at its position, character by character.",
    "Select the passage in the text again, and do not change it.",
)
CONFIDENCE_RULE = DigitalAbstractRule(
    "R152", "A confidence is greater than 0 and at most 1.", "Give a number such as 0.9, or leave it open."
)
LENGTH_RULE = DigitalAbstractRule(
    "R153",
    f"A digital abstract has at most {MOST_INTERACTIONS:,} interactions and {MOST_ORGANISMS} organisms, an interaction "
    f"{MOST_METHODS} methods and {MOST_PASSAGES} passages; comments have at most {LONGEST_COMMENT:,} characters, names "
    f"{LONGEST_NAME}, identifiers {LONGEST_IDENTIFIER} and numbers of figures {LONGEST_FIGURE}.",
    "Remove what is not needed, or shorten it.",
)
CHARACTER_RULE = DigitalAbstractRule(
    "R154",
    "Texts contain no control characters and no lone surrogates.",
    "Remove the character.",
)
DIRECTION_RULE = DigitalAbstractRule(
    "R155",
    "Only enzymatic reactions, MI:0414 and the types below it, have a direction. This is checked when somebody adds or "
    "corrects an interaction; the direction that a proposal, file or earlier record gives another type is kept, and "
    "noted where the record is checked.",
    "Choose a type such as phosphorylation reaction (MI:0217), or remove the direction.",
)
DIGITAL_ABSTRACT_RULES = (
    *(PARTICIPANTS_RULE, IDENTIFIER_RULE, ORGANISM_RULE, TERM_RULE, METHOD_RULE, TYPE_RULE, ROLE_RULE, SELF_RULE),
    *(REPEATED_METHOD_RULE, SPAN_RULE, PASSAGE_RULE, CONFIDENCE_RULE, LENGTH_RULE, CHARACTER_RULE),
    DIRECTION_RULE,
)
