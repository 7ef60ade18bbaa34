"""What is gathered from a file of annotated text while it is read, and checked alike in every format."""

from pathlib import PurePath

from annotations.formats.errors import RefusedFileError
from annotations.formats.mention_columns import MentionColumns
from annotations.formats.mentions import InteractionPair, Mentions
from annotations.formats.placed_faults import PlacedFaults
from annotations.formats.tsv_faults import quoted

# Systems that write mentions as they understand them differ from the text everywhere; so many show what it is about.
MOST_WARNINGS = 100


class MentionReading:
    """One file: what it holds so far, and what is wrong with it."""

    def __init__(self, source: str) -> None:
        self.documents: dict[str, None] = {}
        self.mentions = MentionColumns()
        self.pairs: list[InteractionPair] = []
        self.relevant: dict[str, bool] = {}
        self.source = source
        self.faults = PlacedFaults(source)
        self.warnings = PlacedFaults(source, MOST_WARNINGS)

    def named(self, name: str, line: int, column: int) -> str:
        """The name of a document that begins here, by which it is kept; one without is called as the file is."""
        name = name.strip()
        if not name:
            name = PurePath(self.source).stem
            said = f"the document has no ID, so it is called {quoted(name)} as the file is"
            self.warnings.add("R653", line, column, f"{said} - write the article's PMID")
        if name in self.documents:
            said = f"there is a document {quoted(name)} already"
            self.faults.add("R658", line, column, f"{said} - keep one of the two, or put all its mentions under one")
        self.documents.setdefault(name)
        return name

    def differs(self, text: str, found: str, line: int, column: int) -> None:
        """Warn where the text of a mention is not what stands at its place."""
        if found == text:
            return
        message = ""
        if not self.warnings.is_full("R657"):
            said = f"the text at this place is {quoted(found)}, not {quoted(text)}"
            message = f"{said} - mend one of the two if it is not meant so"
        self.warnings.add("R657", line, column, message)

    def finish(self) -> Mentions:
        """All of it. RefusedFileError with all faults, if there is one."""
        if not self.documents and not self.faults:
            self.faults.add("R659", 0, 0, "the file has no document - write one at least")
        if self.faults:
            raise RefusedFileError(self.faults.told())
        return Mentions(list(self.documents), self.mentions, self.warnings.told(), self.pairs, self.relevant)
