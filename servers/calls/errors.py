"""The one exception that servers/calls/client.py raises: a call failed because of the team's server.

Each failure has a diagnosis: a stable code, a sentence that says what happened and one that says what to do. Any other
exception during a call is an error of the meta-server and is reported as such.
"""

from dataclasses import dataclass
from enum import StrEnum


class Stage(StrEnum):
    CONNECTION = "connection"
    COMMUNICATION = "communication"
    NO_ANSWER = "no answer in time"
    UNAVAILABLE = "unavailable"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """code is stable ("refused", "not-xml"); happened and advice are for the server's team.

    rest_seconds is how long the queues rest for a server that is temporarily unavailable.
    """

    stage: Stage
    code: str
    happened: str
    advice: str
    rest_seconds: float = 0.0


class CallError(Exception):
    """A call failed because of the team's server."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        super().__init__(f"{diagnosis.happened} {diagnosis.advice}")
        self.diagnosis = diagnosis
