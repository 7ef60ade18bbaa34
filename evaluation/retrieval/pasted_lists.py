"""Read retrieval lists that somebody pastes. Nothing is stored."""

from io import BytesIO

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.tap.reader import read_tap_lists
from evaluation.measures.tap import QueryRetrieval

# About 50,000 records, which are scored in a second.
MAX_CHARACTERS = 500_000
MAX_K_NUMBERS = 10
MAX_K = 10_000
SOURCE = "lists"


def read_pasted_lists(text: str) -> list[QueryRetrieval]:
    """The lists in the format of the module TAP-k. RefusedFileError with all faults (R621 to R627)."""
    if len(text) > MAX_CHARACTERS:
        message = f"the text has more than {MAX_CHARACTERS:,} characters - score it with python -m evaluation tapk"
        raise RefusedFileError([FormatError(SOURCE, 0, 0, "R627", message)])
    lists = read_tap_lists(BytesIO(text.encode("utf-8", "surrogateescape")), SOURCE)
    return [QueryRetrieval(block.query, block.relevant, block.hits, block.scores, block.weight) for block in lists]


def build_refused_lists_error(wrong: str, fix: str) -> RefusedFileError:
    """The error for lists that can be read but not scored (R628)."""
    return RefusedFileError([FormatError(SOURCE, 0, 0, "R628", f"{wrong} - {fix}")])
