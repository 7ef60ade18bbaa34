"""The states of a server and the allowed changes between them."""

from collections.abc import Mapping, Set
from enum import StrEnum
from typing import TypeVar

StateT = TypeVar("StateT", bound=StrEnum)


def list_enum_choices(enumeration: type[StrEnum]) -> list[tuple[str, str]]:
    """The values of an enumeration as choices of a model field, each value being its own label."""
    return [(member.value, member.value) for member in enumeration]


class ServerState(StrEnum):
    OFFLINE = "offline"
    ONLINE = "online"
    HALTING = "halting"
    FAIL = "fail"


SERVER_EDGES = {
    ServerState.OFFLINE: {ServerState.ONLINE},
    ServerState.ONLINE: {ServerState.HALTING, ServerState.OFFLINE, ServerState.FAIL},
    ServerState.HALTING: {ServerState.OFFLINE, ServerState.ONLINE, ServerState.FAIL},
    ServerState.FAIL: {ServerState.ONLINE},
}


def list_possible_previous_states(
    next_state: StateT, next_states_by_state: Mapping[StateT, Set[StateT]]
) -> list[StateT]:
    """The states from which an edge leads to the given state; next_states_by_state maps each state to those that may
    follow it.
    """
    return [before for before, followers in next_states_by_state.items() if next_state in followers]
