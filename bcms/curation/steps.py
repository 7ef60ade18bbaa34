"""The steps of a curation, in the order in which a curator takes them."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotations.curation.states import ItemKind


@dataclass(frozen=True, slots=True)
class CurationStep:
    """One step: its name in URLs, its heading, and the kinds of items to decide on, each a list of its own."""

    slug: str
    title: str
    kinds: Sequence[ItemKind]
    hint: str


STEPS = (
    CurationStep(
        "organisms",
        "Organisms",
        (ItemKind.ORGANISM,),
        "Accept the organisms that the article studies. What is of other organisms then comes last in each list.",
    ),
    CurationStep(
        "entities",
        "Entities",
        (ItemKind.ENTITY, ItemKind.MENTION, ItemKind.METHOD),
        "Accept what the article is about. Correct an identifier with Edit; add what is missing by selecting it in the "
        "text.",
    ),
    CurationStep(
        "interactions",
        "Interactions",
        (ItemKind.INTERACTION, ItemKind.RELATION, ItemKind.LABEL),
        "Complete each interaction with its type, its detection methods and the passages that report it.",
    ),
    CurationStep("check", "Check and finish", (), "Read the record as others will see it, then finish."),
)
STEPS_BY_SLUG = {step.slug: step for step in STEPS}


def find_step(slug: str) -> CurationStep:
    """The step with this name, else the first."""
    return STEPS_BY_SLUG.get(slug, STEPS[0])


KIND_TITLES = {
    ItemKind.ORGANISM: "Organisms",
    ItemKind.ENTITY: "Genes, proteins and other entities",
    ItemKind.MENTION: "Mentions",
    ItemKind.METHOD: "Detection methods",
    ItemKind.INTERACTION: "Interactions",
    ItemKind.RELATION: "Other relations",
    ItemKind.LABEL: "Labels",
}
