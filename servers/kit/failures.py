"""Failures made on purpose, so that one can see what a meta-server does about a flaky annotation server."""

import random
import threading
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from annotations.kinds import Finding, Kind

IMPOSSIBLE_CONFIDENCE = 1.5


class Failure(StrEnum):
    FAULT = "fault"
    DROPPED = "connection dropped"
    HTML = "HTML page with status 500"
    GARBAGE = "not XML"
    BROKEN_RULE = "wrong offset"


class Failures:
    """Draws which calls fail: a share `rate` of them, in every way equally often, the same ones for the same seed."""

    def __init__(self, rate: float, seed: int) -> None:
        self.rate = rate
        self.generator = random.Random(seed)
        self.guard = threading.Lock()

    def draw(self) -> Failure | None:
        with self.guard:
            fails, failure = self.generator.random() < self.rate, self.generator.choice(list(Failure))
        return failure if fails else None


def break_rule(findings: Sequence[Finding]) -> list[Finding]:
    """The findings as a careless server gives them: mentions counted from 1, confidences above 1 on all else."""
    return [shifted(finding) if finding.kind is Kind.MENTION else overconfident(finding) for finding in findings]


def shifted(mention: Finding) -> Finding:
    if mention.start is None or mention.end is None:
        raise ValueError("A mention needs a start and an end.")
    return replace(mention, start=mention.start + 1, end=mention.end + 1)


def overconfident(finding: Finding) -> Finding:
    return replace(finding, confidence=IMPOSSIBLE_CONFIDENCE)
