"""Does an identifier exist? Only what the local table of entries knows counts; nothing is asked outside here.

What was withdrawn existed, and what stands for another entry exists: neither breaks a rule.
"""

from collections.abc import Sequence

from annotations.databases import database_title
from annotations.kinds import BrokenRule, Finding
from annotations.models import Entry

UNKNOWN_IDENTIFIER = "R301"


def identifiers(finding: Finding) -> list[tuple[str, str]]:
    return [(finding.database, name) for name in (finding.identifier, finding.partner) if name]


def missing_identifiers(findings: Sequence[Finding]) -> list[BrokenRule]:
    """The findings whose identifier is known not to exist, as broken rules; unknown to us is not broken."""
    wanted = {pair for finding in findings for pair in identifiers(finding)}
    if not wanted:
        return []
    absent = set(
        Entry.objects.filter(identifier__in={name for _, name in wanted}, exists=False).values_list(
            "database", "identifier"
        )
    )
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
