"""Does an identifier exist? Only what the local table of entries knows counts; nothing is asked outside here.

What was withdrawn existed, and what stands for another entry exists: neither breaks a rule.
"""

from collections.abc import Sequence

from django.db import connection

from annotations.databases import database_title
from annotations.kinds import BrokenRule, Finding

UNKNOWN_IDENTIFIER = "R301"
ABSENT = """
SELECT entry.database, entry.identifier
FROM unnest(%s::text[], %s::text[]) AS said (database, identifier)
JOIN annotations_entry entry ON entry.database = said.database AND entry.identifier = said.identifier
WHERE NOT entry.exists
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
