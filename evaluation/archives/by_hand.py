"""What authors and curators annotated elsewhere, in an archive: every reading of every article."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotations.kinds import Kind
from annotations.models import Article, Producer, Result
from evaluation.archives import result_lines
from evaluation.archives.result_lines import said_in, said_in_results, store_said
from evaluation.archives.unpacking import Unpacked
from evaluation.archives.values import row_of, values_of
from evaluation.by_hand.bringing_in import SORTS
from evaluation.models import ByHand, Phase

BY_HAND = ("kind", "source", "checksum", "brought")
PRODUCER = ("sort", "name")


def by_hand_file(phase: Phase) -> str:
    return f"{phase.sort}/by_hand.jsonl"


def by_hand_lines(phase: Phase, names: Mapping[int, str]) -> Iterator[str]:
    """A JSON object for all that somebody says of one kind, unless it is of a test that is not published: it may be as
    good as its gold standard. names: what the archive calls the articles."""
    if phase.sort == Phase.Sort.TEST and phase.published is None:
        return
    rows = ByHand.objects.filter(challenge=phase.challenge_id, corpus=phase.corpus_id).select_related("producer")
    for own in rows.order_by("pk"):
        readings = Result.objects.filter(producer=own.producer, kind=own.kind).order_by("pk")
        said = said_in_results(readings, Kind(own.kind), names).of
        told = {**values_of(own.producer, PRODUCER), **values_of(own, BY_HAND)}
        yield json.dumps({**told, "readings": [*map(result_lines.values_of, said)]}, ensure_ascii=False) + "\n"


def restore_by_hand(archive: Unpacked, phase: Phase, articles: Mapping[str, Article]) -> None:
    """All readings as they were, for the organizers alone; where two phases have one corpus they are restored once.
    KeyError for an unknown article."""
    whose = {"challenge": phase.challenge, "corpus": phase.corpus}
    if ByHand.objects.filter(**whose).exists():
        return
    producers: dict[tuple[str, str], Producer] = {}
    for told in archive.json_lines(by_hand_file(phase)):
        key = told["sort"], told["name"]
        producer = producers[key] = producers.get(key) or producer_of(told)
        own = row_of(ByHand, told, BY_HAND, producer=producer, **whose)
        own.save()
        store_said(producer, Kind(own.kind), said_in(iter(told["readings"]), Kind(own.kind)), articles)


def producer_of(told: Mapping[str, Any]) -> Producer:
    """ValueError when it is neither authors nor curators."""
    if told["sort"] not in SORTS:
        raise ValueError(told["sort"])
    own = row_of(Producer, told, PRODUCER)
    own.save()
    return own
