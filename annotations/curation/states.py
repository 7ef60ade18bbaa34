"""The states and actions of curation; the values are public."""

from enum import StrEnum


class ItemKind(StrEnum):
    """What a curator decides on."""

    ORGANISM = "organism"
    ENTITY = "entity"
    MENTION = "mention"
    METHOD = "method"
    INTERACTION = "interaction"
    RELATION = "relation"
    LABEL = "label"


class ItemState(StrEnum):
    """What a curator decided: only accepted items are in the record."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    SKIPPED = "skipped"


class DecisionAction(StrEnum):
    ACCEPT = "accept"
    REJECT = "reject"
    EDIT = "edit"
    ADD = "add"
    SKIP = "skip"
    UNDO = "undo"


# The state of an item after each action; undo restores the one before.
STATES_BY_ACTION = {
    DecisionAction.ACCEPT: ItemState.ACCEPTED,
    DecisionAction.EDIT: ItemState.ACCEPTED,
    DecisionAction.ADD: ItemState.ACCEPTED,
    DecisionAction.REJECT: ItemState.REJECTED,
    DecisionAction.SKIP: ItemState.SKIPPED,
}


class CurationArm(StrEnum):
    """Whether servers propose anything to a curator in an experiment, as drawn at random."""

    WITH_HELP = "with"
    WITHOUT_HELP = "without"


class CurationState(StrEnum):
    """ASSIGNED: not opened yet. OPEN: in work. FINISHED: the record is complete, and can be opened again."""

    ASSIGNED = "assigned"
    OPEN = "open"
    FINISHED = "finished"
