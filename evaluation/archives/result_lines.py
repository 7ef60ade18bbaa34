"""Results as lines of JSON, one of each article: what a producer said, when, and how long it took."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotations.kinds import Finding, Kind
from annotations.models import Annotation, Article, Producer, Result
from annotations.storing import store_annotations
from evaluation.archives.unpacking import ANEW, ArchiveError
from evaluation.scoring import current

FIELDS = tuple(field.name for field in fields(Finding) if field.name != "kind")
BATCH = 5000


@dataclass(frozen=True, slots=True)
class Said:
    """What a producer says of one article; version: of its system then, "" when nobody stated it; superseded: when it
    said something else, None as long as it does not."""

    article: str
    received: datetime
    seconds: float | None
    reason: str
    findings: Sequence[Finding]
    version: str = ""
    superseded: datetime | None = None


@dataclass(frozen=True, slots=True)
class SaidByAll:
    """What a producer says of all articles, by name; state as evaluation.scoring.Answers has it."""

    of: Sequence[Said]
    state: str

    def findings(self, names: Mapping[int, str]) -> dict[str, Sequence[Finding]]:
        """Of the articles that count."""
        counted = set(names.values())
        return {own.article: own.findings for own in self.of if own.article in counted}


def said_by(producer: int, kind: Kind, names: Mapping[int, str]) -> SaidByAll:
    """The current Results of a producer, by the names of their articles, in two queries."""
    return said_in_results(current(producer, kind), kind, names)


def said_in_results(rows: QuerySet[Result], kind: Kind, names: Mapping[int, str]) -> SaidByAll:
    """As said_by, of these Results; those of one article stay in their order."""
    fields = ("pk", "article_id", "received", "duration", "empty_reason", "stated_version", "superseded")
    results = {pk: row for pk, *row in rows.values_list(*fields)}
    found: dict[int, list[Finding]] = {pk: [] for pk in results}
    said = Annotation.objects.filter(result__in=rows.order_by()).order_by("pk")
    for result, *values in said.values_list("result_id", *FIELDS).iterator(chunk_size=10_000):
        if result in found:
            found[result].append(Finding(kind, **dict(zip(FIELDS, values, strict=True))))
    every = [
        Said(names[article], received, seconds, reason, found[pk], version, superseded)
        for pk, (article, received, seconds, reason, version, superseded) in results.items()
        if article in names
    ]
    return SaidByAll(sorted(every, key=lambda own: own.article), f"{len(results)}:{max(results, default=0)}")


def lines_of(said: SaidByAll) -> Iterator[str]:
    return (json.dumps(values_of(own), ensure_ascii=False, allow_nan=False) + "\n" for own in said.of)


def values_of(own: Said) -> dict[str, Any]:
    found = [
        {name: value for name, value in asdict(finding).items() if name != "kind" and value not in (None, "")}
        for finding in own.findings
    ]
    told = {"article": own.article, "received": own.received.isoformat(), "findings": found}
    timed = {} if own.seconds is None else {"seconds": own.seconds}
    stated = {name: value for name, value in (("reason", own.reason), ("version", own.version)) if value}
    until = {} if own.superseded is None else {"superseded": own.superseded.isoformat()}
    return told | timed | stated | until


def said_in(lines: Iterator[Any], kind: Kind) -> list[Said]:
    """What the lines of a file say. ArchiveError when one says something else."""
    try:
        return [
            Said(
                own["article"],
                datetime.fromisoformat(own["received"]),
                own.get("seconds"),
                own.get("reason", ""),
                [Finding(kind, **finding) for finding in own["findings"]],
                own.get("version", ""),
                datetime.fromisoformat(own["superseded"]) if "superseded" in own else None,
            )
            for own in lines
        ]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ArchiveError(f"A file of results in the archive has a line that is none: {ANEW}.") from None


def store_said(producer: Producer, kind: Kind, said: Sequence[Said], articles: Mapping[str, Article]) -> str:
    """Store Results as they once were; the state that a score of them notes. KeyError for an unknown article."""
    results = Result.objects.bulk_create(
        (
            Result(
                article=articles[own.article],
                text_version=articles[own.article].text_version,
                kind=kind,
                producer=producer,
                received=own.received,
                duration=own.seconds,
                empty_reason=own.reason,
                stated_version=own.version,
                superseded=own.superseded,
            )
            for own in said
        ),
        batch_size=BATCH,
    )
    pairs = zip(results, said, strict=True)
    store_annotations((result.pk, finding) for result, own in pairs for finding in own.findings)
    return f"{len(results)}:{max((result.pk for result in results), default=0)}"
