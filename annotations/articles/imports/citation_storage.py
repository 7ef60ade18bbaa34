"""Store a batch of citations and deletions in one transaction.

Storing a citation again changes nothing. A changed text raises text_version, so that earlier Results stay with the text
they were made on; any change raises version, which the article's page polls. For each PMID the latest revision of the
highest PubMed version wins, in whatever order they come. An article that PubMed deletes is deleted unless something
refers to it; then it is kept with "withdrawn" in its metadata. A stored full text is not changed. A stored article
without a PMID is recognized by its PMCID or DOI.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any

from django.db import connection, transaction

from annotations.articles.models import Article, ArticleChange, OlderText, make_opaque_identifier
from annotations.articles.text_versions import ArticleTextVersion, store_older_texts_if_annotated
from annotations.formats.articles.parsed_article import TextPassage
from annotations.formats.pubmed.reader import Citation, Deletion
from annotations.results.models import ArticleSummary

LONGEST_JOURNAL = 255
# The number of the advisory lock for imports.
IMPORT_LOCK = 4_027_551

KNOWN_PMIDS = "SELECT pmid FROM annotations_article WHERE pmid = ANY(%s)"
# The citations that are stored unchanged, whose rows need no lock.
UNCHANGED_PMIDS = """
SELECT known.pmid
FROM json_to_recordset(%s)
    AS came (pmid bigint, doi text, pmcid text, content_hash text, journal text, year smallint, metadata jsonb)
JOIN annotations_article AS known ON known.pmid = came.pmid
WHERE (known.content_hash, known.doi, known.pmcid, known.journal, known.year, known.metadata)
      IS NOT DISTINCT FROM (came.content_hash, came.doi, came.pmcid, came.journal, came.year, came.metadata)
"""
# Adds the PMID to articles that were stored without, so that they are not stored twice. A PMID is unique.
ADD_PMIDS = """
WITH came AS (
    SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS came (pmid, doi, pmcid)
    WHERE EXISTS (SELECT FROM annotations_article WHERE pmid IS NULL AND NOT blind)
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
INSERT_UNKNOWN = """
INSERT INTO annotations_article
    (pmid, doi, pmcid, content_hash, journal, year, metadata, opaque, passages, text, text_version)
SELECT pmid, doi, pmcid, content_hash, journal, year, metadata, opaque, passages, text, 1
FROM json_to_recordset(%s)
    AS came (pmid bigint, doi text, pmcid text, content_hash text, journal text, year smallint, metadata jsonb,
             opaque text, passages jsonb, text text)
ORDER BY pmid
ON CONFLICT (pmid) DO NOTHING
RETURNING pmid
"""
# Returns the PMID and key of each article that is stored; for those that changed also the earlier text version and, if
# the text was replaced, the earlier text. All are locked first: so what is returned is what was replaced, whatever
# other transactions have stored since this statement began.
UPDATE_KNOWN = """
WITH came AS MATERIALIZED (
    SELECT * FROM json_to_recordset(%s)
        AS came (pmid bigint, doi text, pmcid text, content_hash text, journal text, year smallint, metadata jsonb,
                 passages jsonb, text text)
),
before AS MATERIALIZED (
    SELECT known.id, known.pmid, known.text_version, known.content_hash, known.passages
    FROM annotations_article AS known JOIN came USING (pmid)
    ORDER BY known.pmid
    FOR NO KEY UPDATE OF known
),
changed AS (
    UPDATE annotations_article AS known SET
        doi = came.doi, pmcid = came.pmcid, passages = came.passages, text = came.text,
        text_version = known.text_version + (known.content_hash <> came.content_hash)::int,
        content_hash = came.content_hash, journal = came.journal, year = came.year,
        metadata = came.metadata, version = known.version + 1
    FROM before JOIN came USING (pmid)
    WHERE known.id = before.id
      AND (coalesce((known.metadata->>'pmid_version')::int, 1), coalesce(known.metadata->>'revised', ''))
          <= ((came.metadata->>'pmid_version')::int, came.metadata->>'revised')
      AND (jsonb_array_length(known.passages) <= 2 OR jsonb_array_length(came.passages) > 2)
      AND (known.content_hash, known.doi, known.pmcid, known.journal, known.year, known.metadata)
          IS DISTINCT FROM (came.content_hash, came.doi, came.pmcid, came.journal, came.year, came.metadata)
    RETURNING known.id, before.text_version,
        CASE WHEN before.content_hash <> came.content_hash THEN before.passages::text END AS passages
)
SELECT before.pmid, before.id, changed.text_version, changed.passages
FROM before LEFT JOIN changed USING (id) ORDER BY before.pmid
"""

WITHDRAW = """
UPDATE annotations_article SET metadata = metadata || '{"withdrawn": true}', version = version + 1
WHERE id = ANY(%s) AND NOT metadata ? 'withdrawn'
"""


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """What an import did.

    new, changed, unchanged: articles. repeated: records whose PMID came before in the same import. deleted: deletions
    that removed an article. kept: deletions of articles that were kept because something refers to them.
    """

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
        """The number of imported citations that are in the database now."""
        return self.new + self.changed + self.unchanged


@dataclass(frozen=True, slots=True)
class CitationRow:
    """A citation: its identifiers, and the JSON that the statements store."""

    pmid: int
    doi: str
    pmcid: str
    record: str


@transaction.atomic
def store_citations_and_apply_deletions(
    rows_with_distinct_pmids: Sequence[CitationRow], deletions: Sequence[Deletion]
) -> ImportCounts:
    """Store citations and deletions, at most one per PMID. Other transactions may store others at the same time."""
    lock_imports_until_commit(exclusive=False)
    return _store_rows(rows_with_distinct_pmids) + _delete_or_withdraw(deletions)


def lock_imports_until_commit(exclusive: bool) -> None:
    """Take the lock for imports until the end of the transaction.

    Citations share it, because their PMIDs are unique. Articles that may have no PMID need it exclusively, so that
    none is stored twice.
    """
    lock = "pg_advisory_xact_lock" if exclusive else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {lock}(%s)", [IMPORT_LOCK])


def hash_passage_types_and_texts(passages: Sequence[TextPassage]) -> str:
    """SHA-256 in hexadecimal of the passages, including their types and boundaries."""
    return sha256(_encode_json([[passage.type, passage.text] for passage in passages]).encode()).hexdigest()


def make_citation_row(citation: Citation) -> CitationRow:
    record = {**_list_citation_values(citation), "opaque": make_opaque_identifier()}
    return CitationRow(citation.pmid, citation.doi, citation.pmcid, _encode_json(record))


def build_unsaved_article_of_citation(citation: Citation) -> Article:
    """The citation as a row that is not stored."""
    return Article(**_list_citation_values(citation))


def _list_citation_values(citation: Citation) -> dict[str, Any]:
    """{field of Article: value}."""
    return {
        "pmid": citation.pmid,
        "doi": citation.doi,
        "pmcid": citation.pmcid,
        "content_hash": hash_passage_types_and_texts(citation.passages),
        "journal": citation.journal[:LONGEST_JOURNAL],
        "year": citation.year,
        "metadata": _citation_metadata(citation),
        "passages": [{"type": passage.type, "text": passage.text} for passage in citation.passages],
        "text": citation.text,
    }


def _citation_metadata(citation: Citation) -> dict[str, object]:
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


# Created once: json.dumps() would create an encoder for each value.
_encode_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def _store_rows(rows: Sequence[CitationRow]) -> ImportCounts:
    known = {pmid for (pmid,) in _execute_with_rows(KNOWN_PMIDS, rows, _pmid_values)}
    added = _execute_with_rows(ADD_PMIDS, [row for row in rows if row.pmid not in known], _name_values)
    stored_rows = [row for row in rows if row.pmid in known]
    unchanged = {pmid for (pmid,) in _execute_with_rows(UNCHANGED_PMIDS, stored_rows, _record_values)}
    known |= {pmid for (pmid,) in added}
    counts = ImportCounts(unchanged=len(unchanged))
    remaining = [row for row in rows if row.pmid not in unchanged]
    while remaining:
        missed, stored = _update_known_and_insert_unknown(remaining, known)
        # Other transactions have stored or deleted these articles meanwhile.
        known ^= {row.pmid for row in missed}
        remaining, counts = missed, counts + stored
    return counts


def _update_known_and_insert_unknown(
    rows: Sequence[CitationRow], known: set[int]
) -> tuple[list[CitationRow], ImportCounts]:
    """Update the articles with known PMIDs and insert the others; returns the rows for which that was wrong."""
    updated = _execute_with_rows(UPDATE_KNOWN, [row for row in rows if row.pmid in known], _record_values)
    inserted = _execute_with_rows(INSERT_UNKNOWN, [row for row in rows if row.pmid not in known], _record_values)
    store_older_texts_if_annotated(
        ArticleTextVersion(article, version, passages)
        for _, article, version, passages in updated
        if passages is not None
    )
    changed = sum(version is not None for _, _, version, _ in updated)
    stored = {pmid for pmid, *_ in (*updated, *inserted)}
    counts = ImportCounts(new=len(inserted), changed=changed, unchanged=len(updated) - changed)
    return [row for row in rows if row.pmid not in stored], counts


def _execute_with_rows(
    statement: str,
    rows: Sequence[CitationRow],
    make_parameters: Callable[[Sequence[CitationRow]], Sequence[str | list[int] | list[str]]],
) -> list[tuple[Any, ...]]:
    """Execute a statement with values made from rows and return its results; does nothing without rows."""
    if not rows:
        return []
    with connection.cursor() as cursor:
        cursor.execute(statement, make_parameters(rows))
        return list(cursor.fetchall())


def _pmid_values(rows: Sequence[CitationRow]) -> list[list[int]]:
    return [[row.pmid for row in rows]]


def _name_values(rows: Sequence[CitationRow]) -> list[list[int] | list[str]]:
    return [[row.pmid for row in rows], [row.doi for row in rows], [row.pmcid for row in rows]]


def _record_values(rows: Sequence[CitationRow]) -> list[str]:
    """One JSON array, because PostgreSQL parses one long text faster than many short ones."""
    return [f"[{','.join(row.record for row in rows)}]"]


def _delete_or_withdraw(deletions: Sequence[Deletion]) -> ImportCounts:
    if not deletions:
        return ImportCounts()
    versions = {deletion.pmid: deletion.version for deletion in deletions}
    articles = Article.objects.select_for_update().filter(pmid__in=versions).order_by("pmid")
    outdated = {a.pk for a in articles if int(a.metadata.get("pmid_version", 1)) <= versions[a.pmid or 0]}
    kept = _find_referenced_articles(outdated)
    Article.objects.filter(pk__in=outdated - kept).delete()
    with connection.cursor() as cursor:
        cursor.execute(WITHDRAW, [list(kept)])
    return ImportCounts(deleted=len(outdated - kept), kept=len(kept))


def _find_referenced_articles(articles: set[int]) -> set[int]:
    """The articles that rows of any app refer to, except rows that are derived from them and deleted with them."""
    referenced: set[int] = set()
    for relation in Article._meta.related_objects if articles else ():
        if not relation.many_to_many and relation.related_model not in (ArticleChange, ArticleSummary, OlderText):
            rows = relation.related_model._base_manager.filter(**{f"{relation.field.name}__in": articles})
            referenced |= set(rows.values_list(relation.field.attname, flat=True))
    return referenced
