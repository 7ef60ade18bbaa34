"""What is gathered from a file of annotated text while it is read, and checked alike in every format."""

from annotations.formats.errors import RefusedFileError
from annotations.formats.mention_tables import InteractionPair, Mention, Mentions
from annotations.formats.placed_faults import PlacedFaults
from annotations.formats.tsv_faults import quoted


class MentionReading:
    """One file: what it holds so far, and what is wrong with it."""

    def __init__(self, source: str) -> None:
        self.documents: dict[str, None] = {}
        self.mentions: list[Mention] = []
        self.pairs: list[InteractionPair] = []
        self.relevant: dict[str, bool] = {}
        self.faults = PlacedFaults(source)
        self.warnings = PlacedFaults(source)

    def add(self, mention: Mention) -> None:
        """Keep a mention."""
        self.mentions.append(mention)

    def differs(self, mention: Mention, found: str, column: int) -> None:
        """Warn where the text of a mention is not what stands at its place."""
        if found != mention.text:
            said = f"the text at this place is {quoted(found)}, not {quoted(mention.text)}"
            self.warnings.add("R657", mention.line, column, f"{said} - mend one of the two if it is not meant so")

    def finish(self) -> Mentions:
        """All of it. RefusedFileError with all faults, if there is one."""
        if not self.documents and not self.faults:
            self.faults.add("R659", 0, 0, "the file has no document - write one at least")
        if self.faults:
            raise RefusedFileError(self.faults.told())
        return Mentions(list(self.documents), self.mentions, self.warnings.told(), self.pairs, self.relevant)
