"""A batch of citations and withdrawals into the database, in one transaction.

The same citation twice changes nothing. A changed text raises text_version, so that earlier Results stay with the text
they were made of; any change raises version, which the article's page polls. Of one PMID the highest Version that
PubMed gave counts, and of that its last revision, whatever comes first. An article that PubMed withdraws goes if
nothing refers to it; else it stays, with "withdrawn" in its metadata. An article that is there with its full text stays
as it is. One that is there without a PMID is known by its PMCID or DOI.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any

from django.db import connection, transaction

from annotations.formats.pubmed import Citation, Deletion, Passage
from annotations.models import Article, OlderText, Standing, opaque_identifier
from annotations.older_texts import Text, keep

LONGEST_JOURNAL = 255
# The number of the lock that imports take; it means nothing else.
IMPORTS = 4_027_551

KNOWN = "SELECT pmid FROM annotations_article WHERE pmid = ANY(%s)"
# Which of them the database has just so: finding that out by UPSERT would make the words of each text anew.
SAME = """
SELECT known.pmid
FROM json_to_recordset(%s)
    AS came (pmid bigint, doi text, pmcid text, content_hash text, journal text, year smallint, metadata jsonb)
JOIN annotations_article AS known ON known.pmid = came.pmid
WHERE (known.content_hash, known.doi, known.pmcid, known.journal, known.year, known.metadata)
      IS NOT DISTINCT FROM (came.content_hash, came.doi, came.pmcid, came.journal, came.year, came.metadata)
"""
# An article that came without its PMID gets it, so that it is not stored once more; a PMID is of one article alone.
NAME = """
WITH came AS (
    SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS came (pmid, doi, pmcid)
    WHERE EXISTS (SELECT FROM annotations_article WHERE pmid IS NULL)
),
meant AS (
    SELECT known.id, came.pmid FROM came JOIN annotations_article AS known USING (pmcid)
    WHERE known.pmid IS NULL AND came.pmcid <> ''
    UNION
    SELECT known.id, came.pmid FROM came JOIN annotations_article AS known ON upper(known.doi) = upper(came.doi)
    WHERE known.pmid IS NULL AND came.doi <> ''
),
by_article AS (SELECT DISTINCT ON (id) id, pmid FROM meant ORDER BY id, pmid),
by_pmid AS (SELECT DISTINCT ON (pmid) id, pmid FROM by_article ORDER BY pmid, id)
UPDATE annotations_article AS known SET pmid = by_pmid.pmid, version = version + 1
FROM by_pmid WHERE known.id = by_pmid.id AND known.pmid IS NULL
RETURNING known.pmid
"""
# Gives the key of each that was there, and the text that it had if it has another now.
UPSERT = """
INSERT INTO annotations_article AS known
    (pmid, doi, pmcid, content_hash, journal, year, metadata, opaque, passages, text, text_version)
SELECT pmid, doi, pmcid, content_hash, journal, year, metadata, opaque, passages, text, 1
FROM json_to_recordset(%s)
    AS came (pmid bigint, doi text, pmcid text, content_hash text, journal text, year smallint, metadata jsonb,
             opaque text, passages jsonb, text text)
ORDER BY pmid
ON CONFLICT (pmid) DO UPDATE SET
    doi = excluded.doi, pmcid = excluded.pmcid, passages = excluded.passages, text = excluded.text,
    text_version = known.text_version + (known.content_hash <> excluded.content_hash)::int,
    content_hash = excluded.content_hash, journal = excluded.journal, year = excluded.year,
    metadata = excluded.metadata, version = known.version + 1
WHERE (coalesce((known.metadata->>'pmid_version')::int, 1), coalesce(known.metadata->>'revised', ''))
      <= ((excluded.metadata->>'pmid_version')::int, excluded.metadata->>'revised')
  AND (jsonb_array_length(known.passages) <= 2 OR jsonb_array_length(excluded.passages) > 2)
  AND (known.content_hash, known.doi, known.pmcid, known.journal, known.year, known.metadata)
      IS DISTINCT FROM
      (excluded.content_hash, excluded.doi, excluded.pmcid, excluded.journal, excluded.year, excluded.metadata)
RETURNING old.id, old.text_version, CASE WHEN old.text_version <> new.text_version THEN old.passages::text END
"""

WITHDRAW = """
UPDATE annotations_article SET metadata = metadata || '{"withdrawn": true}', version = version + 1
WHERE id = ANY(%s) AND NOT metadata ? 'withdrawn'
"""


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """What an import did: articles new, changed and unchanged; records whose PMID had come before in the same import;
    withdrawals that took an article away, and those that left it because something refers to it."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    repeated: int = 0
    deleted: int = 0
    kept: int = 0

    def __add__(self, other: "ImportCounts") -> "ImportCounts":
        names = [field.name for field in fields(self)]
        return ImportCounts(*(getattr(self, name) + getattr(other, name) for name in names))

    @property
    def stored(self) -> int:
        """Articles that were looked at and are in the database now."""
        return self.new + self.changed + self.unchanged


@dataclass(frozen=True, slots=True)
class Row:
    """A citation: its names, and the JSON of what UPSERT stores."""

    pmid: int
    doi: str
    pmcid: str
    record: str


@transaction.atomic
def store(rows: Sequence[Row], deletions: Sequence[Deletion]) -> ImportCounts:
    """Citations and withdrawals, of each PMID one. A transaction beside it may store others."""
    alone(exclusive=False)
    return _upsert(rows) + _withdraw(deletions)


def alone(exclusive: bool) -> None:
    """Until the end of the transaction: citations may come in beside each other, because their PMIDs keep them apart;
    what may have no PMID comes in alone, so that nothing is stored twice."""
    lock = "pg_advisory_xact_lock" if exclusive else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {lock}(%s)", [IMPORTS])


def content_hash(passages: Sequence[Passage]) -> str:
    """Tells one text from another; hex SHA-256 of the passages, their types and bounds included."""
    return sha256(_json([[passage.type, passage.text] for passage in passages]).encode()).hexdigest()


def row_of(citation: Citation) -> Row:
    record = {
        "pmid": citation.pmid,
        "doi": citation.doi,
        "pmcid": citation.pmcid,
        "content_hash": content_hash(citation.passages),
        "journal": citation.journal[:LONGEST_JOURNAL],
        "year": citation.year,
        "metadata": _metadata(citation),
        "opaque": opaque_identifier(),
        "passages": [{"type": passage.type, "text": passage.text} for passage in citation.passages],
        "text": citation.text,
    }
    return Row(citation.pmid, citation.doi, citation.pmcid, _json(record))


def _metadata(citation: Citation) -> dict[str, object]:
    return {
        "authors": citation.authors,
        "volume": citation.volume,
        "issue": citation.issue,
        "pages": citation.pages,
        "mesh": citation.mesh,
        "languages": citation.languages,
        "pmid_version": citation.version,
        "revised": citation.revised,
    }


# Put together once: json.dumps() would for each value.
_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def _upsert(rows: Sequence[Row]) -> ImportCounts:
    known = {pmid for (pmid,) in _told(KNOWN, rows, _pmids)}
    _told(NAME, [row for row in rows if row.pmid not in known], _names)
    same = {pmid for (pmid,) in _told(SAME, [row for row in rows if row.pmid in known], _records)}
    before = _told(UPSERT, [row for row in rows if row.pmid not in same], _records)
    keep(Text(article, version, passages) for article, version, passages in before if passages is not None)
    changed = sum(article is not None for article, _, _ in before)
    return ImportCounts(new=len(before) - changed, changed=changed, unchanged=len(rows) - len(before))


def _told(
    statement: str, rows: Sequence[Row], values: Callable[[Sequence[Row]], Sequence[str | list[int] | list[str]]]
) -> list[tuple[Any, ...]]:
    """What a statement with the values of these rows returns; none are not sent."""
    if not rows:
        return []
    with connection.cursor() as cursor:
        cursor.execute(statement, values(rows))
        return list(cursor.fetchall())


def _pmids(rows: Sequence[Row]) -> list[list[int]]:
    return [[row.pmid for row in rows]]


def _names(rows: Sequence[Row]) -> list[list[int] | list[str]]:
    return [[row.pmid for row in rows], [row.doi for row in rows], [row.pmcid for row in rows]]


def _records(rows: Sequence[Row]) -> list[str]:
    """One JSON array: the database reads one long text more quickly than many short ones."""
    return [f"[{','.join(row.record for row in rows)}]"]


def _withdraw(deletions: Sequence[Deletion]) -> ImportCounts:
    if not deletions:
        return ImportCounts()
    versions = {deletion.pmid: deletion.version for deletion in deletions}
    articles = Article.objects.select_for_update().filter(pmid__in=versions).order_by("pmid")
    meant = {a.pk for a in articles if int(a.metadata.get("pmid_version", 1)) <= versions[a.pmid or 0]}
    kept = _referred(meant)
    Article.objects.filter(pk__in=meant - kept).delete()
    with connection.cursor() as cursor:
        cursor.execute(WITHDRAW, [list(kept)])
    return ImportCounts(deleted=len(meant - kept), kept=len(kept))


def _referred(articles: set[int]) -> set[int]:
    """Those to which any row of any app refers, but for what is only made of them and goes with them."""
    found: set[int] = set()
    for relation in Article._meta.related_objects if articles else ():
        if not relation.many_to_many and relation.related_model not in (Standing, OlderText):
            rows = relation.related_model._base_manager.filter(**{f"{relation.field.name}__in": articles})
            found |= set(rows.values_list(relation.field.attname, flat=True))
    return found
