"""What may be stored of the faults of a file that has the gold standard of a test."""

from annotations.formats.errors import FormatError
from annotations.formats.rules import FILE_RULES
from annotations.rule_registry import ANNOTATION_RULES


def hide_quotes(fault: FormatError) -> FormatError:
    """The fault at the same place, with the title of its rule instead of a message that may quote the file."""
    titles = {rule.code: rule.title for rule in FILE_RULES}
    titles |= {rule.code: rule.title for rule in ANNOTATION_RULES.values()}
    message = f"{titles[fault.rule].rstrip('.')} - what the file has there is not shown"
    return FormatError(fault.source, fault.line, fault.column, fault.rule, message)
