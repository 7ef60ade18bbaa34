"""Failures made on purpose, to show how a meta-server handles a flaky annotation server."""

import random
import threading
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from annotations.schema import AnnotationData, Kind

IMPOSSIBLE_CONFIDENCE = 1.5


class Failure(StrEnum):
    FAULT = "fault"
    DROPPED = "connection dropped"
    HTML = "HTML page with status 500"
    GARBAGE = "not XML"
    BROKEN_RULE = "wrong offset"


class FailureGenerator:
    """Draws which calls fail and how: a share `rate` of them, each failure equally often, reproducibly by seed."""

    def __init__(self, rate: float, seed: int) -> None:
        self.rate = rate
        self.generator = random.Random(seed)
        self.lock = threading.Lock()

    def draw_failure(self) -> Failure | None:
        with self.lock:
            fails, failure = self.generator.random() < self.rate, self.generator.choice(list(Failure))
        return failure if fails else None


def shift_mentions_and_overrate_others(annotations: Sequence[AnnotationData]) -> list[AnnotationData]:
    """The annotations of a careless server: mentions counted from 1, confidences above 1 on all others."""
    return [
        shift_mention_span_by_one(annotation)
        if annotation.kind is Kind.MENTION
        else set_confidence_above_one(annotation)
        for annotation in annotations
    ]


def shift_mention_span_by_one(mention: AnnotationData) -> AnnotationData:
    if mention.start is None or mention.end is None:
        raise ValueError("A mention needs a start and an end.")
    return replace(mention, start=mention.start + 1, end=mention.end + 1)


def set_confidence_above_one(annotation: AnnotationData) -> AnnotationData:
    return replace(annotation, confidence=IMPOSSIBLE_CONFIDENCE)
