"""Does an identifier exist? Only what the local table of entries knows counts; nothing is asked outside here.

What was withdrawn existed, and what stands for another entry exists: neither breaks a rule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db import connection

from annotations.databases import database_title
from annotations.kinds import BrokenRule, Finding

UNKNOWN_IDENTIFIER = "R301"
# annotations/rules.py: an entry name of UniProt stands where an accession belongs.
ENTRY_NAME = "R112"
ABSENT = """
SELECT entry.database, entry.identifier
FROM unnest(%s::text[], %s::text[]) AS said (database, identifier)
JOIN annotations_entry entry ON entry.database = said.database AND entry.identifier = said.identifier
WHERE NOT entry.exists
"""
MEANT = """
SELECT identifier, successors[1] FROM annotations_entry
WHERE database = 'uniprot' AND identifier = ANY(%s) AND cardinality(successors) = 1
"""


def identifiers(finding: Finding) -> list[tuple[str, str]]:
    return [(finding.database, name) for name in (finding.identifier, finding.partner) if name]


def missing_identifiers(findings: Sequence[Finding]) -> list[BrokenRule]:
    """The findings whose identifier is known not to exist, as broken rules; unknown to us is not broken."""
    wanted = {pair for finding in findings for pair in identifiers(finding)}
    if not wanted:
        return []
    with connection.cursor() as cursor:
        cursor.execute(ABSENT, [list(column) for column in zip(*wanted, strict=True)])
        absent = set(cursor.fetchall())
    return [
        BrokenRule(
            code=UNKNOWN_IDENTIFIER,
            where=f"{finding.kind}[{index}].identifier",
            message=f"{database_title(database)} has no entry {name} and never had one.",
            mend="Send an identifier that the database holds, and see whether you name the right database.",
            index=index,
        )
        for index, finding in enumerate(findings)
        for database, name in identifiers(finding)
        if (database, name) in absent
    ]


def with_accessions(broken: Sequence[BrokenRule], findings: Sequence[Finding]) -> list[BrokenRule]:
    """The broken rules, each about an entry name (R112) with the accession that it means, where the tables know it."""
    about = [findings[rule.index] for rule in broken if rule.code == ENTRY_NAME and rule.index is not None]
    meant = accessions_of(sorted({name for finding in about for _, name in identifiers(finding)})) if about else {}
    return [mended(rule, findings, meant) for rule in broken]


def accessions_of(names: list[str]) -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(MEANT, [names])
        return dict(cursor.fetchall())


def mended(rule: BrokenRule, findings: Sequence[Finding], meant: Mapping[str, str]) -> BrokenRule:
    if rule.code != ENTRY_NAME or rule.index is None:
        return rule
    known = [f"{name} is {meant[name]}" for _, name in identifiers(findings[rule.index]) if name in meant]
    return replace(rule, mend=f"{rule.mend} By our tables {' and '.join(known)}.") if known else rule
