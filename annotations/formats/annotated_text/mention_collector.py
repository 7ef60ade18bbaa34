"""Collects the content of a file of annotated text, with the checks that all formats share."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath

from annotations.formats.annotated_text.argument_types import TypedRelations
from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.annotated_text.mention_columns import MentionColumns
from annotations.formats.annotated_text.mentions import (
    AnnotatedTextFile,
    InteractionPair,
    LeftOut,
    TextEntity,
    TextLabel,
    TextMention,
    TextRelation,
)
from annotations.formats.errors import RefusedFileError, quote_file_text, replace_unprintable
from annotations.schema import Kind

# A gap between two passages that is longer is not one between offsets in a text.
WIDEST_GAP = 10_000
# Systems that normalize the text of mentions differ from the text everywhere; this many warnings show the problem.
MOST_MENTION_WARNINGS = 100


class MentionCollector:
    """The documents of one file so far with their mentions, relations, entities and labels; its faults and warnings.

    document_texts: {document: the text in which its positions are}, None if the texts are not kept.
    """

    document_texts: dict[str, str] | None = None

    def __init__(self, source: str) -> None:
        self.documents: dict[str, None] = {}
        self.mentions = MentionColumns()
        self.pairs: list[InteractionPair] = []
        self.relevant: dict[str, bool] = {}
        self.class_counts: Counter[str] = Counter()
        self.relations: list[TextRelation] = []
        self.entities: list[TextEntity] = []
        self.labels: list[TextLabel] = []
        self.kinds: dict[str, frozenset[Kind]] = {}
        self.individual_mentions: set[int] = set()
        self.left_out: list[LeftOut] = []
        self.unkept_attributes: dict[tuple[str, str], LeftOut] = {}
        self.source = source
        self.faults = PositionedFaults(source)
        self.warnings = PositionedFaults(source, MOST_MENTION_WARNINGS)

    def enter_file(self, name: str) -> None:
        """Note the faults that follow for a file of the archive that is read, or, without a name, for the archive."""
        source = f"{self.source}/{replace_unprintable(name)}" if name else self.source
        self.faults.source = self.warnings.source = source

    def register_document(self, name: str, line: int, column: int) -> str:
        """The ID under which a document that begins here is kept; without an ID, the name of the file."""
        name = name.strip()
        if not name:
            name = PurePath(self.source).stem
            problem = f"the document has no ID, so it gets the name of the file, {quote_file_text(name)}"
            self.warnings.add("R653", line, column, f"{problem} - write the article's PMID")
        if name in self.documents:
            problem = f"there is already a document {quote_file_text(name)}"
            self.faults.add(
                "R658", line, column, f"{problem} - keep one of the two, or put all mentions into one document"
            )
        self.documents.setdefault(name)
        return name

    def check_mention_text(self, text: str, text_at_position: str, line: int, column: int) -> None:
        """Warn if the text of a mention differs from the text at its position."""
        if text_at_position == text:
            return
        message = ""
        if not self.warnings.is_full("R657"):
            problem = f"the text at this position is {quote_file_text(text_at_position)}, not {quote_file_text(text)}"
            message = f"{problem} - correct text or position if this is not intended"
        self.warnings.add("R657", line, column, message)

    def append_mention(self, mention: TextMention) -> None:
        """Collect a mention that is made already."""
        self.mentions.add(
            mention.document,
            mention.start,
            mention.end,
            mention.text,
            mention.type,
            mention.identifiers,
            mention.line,
            mention.given,
            (mention.spans, mention.exact, mention.confidence, mention.rank),
        )

    def leave_out_attribute(self, document: str, name: str, line: int) -> None:
        """Note an attribute that mentions cannot have; there is one item for all of the same name in a document."""
        first = self.unkept_attributes.get((document, name))
        if first is None:
            first = LeftOut(document, "attributes", f"a mention has no attribute {quote_file_text(name)}", line, 0)
        self.unkept_attributes[document, name] = replace(first, number=first.number + 1)

    def keep_text(self, document: str, parts: Iterable[tuple[int, str]]) -> None:
        """Keep the text of a document, (start, text) of its parts in their order, with spaces between them.

        Sentences that repeat a part of their passage are no further parts.
        """
        if self.document_texts is None:
            return
        pieces, length = [], 0
        for start, part in parts:
            if start + len(part) <= length:
                continue
            if not 0 <= start - length <= WIDEST_GAP:
                return
            pieces += [" " * (start - length), part]
            length = start + len(part)
        self.document_texts[document] = "".join(pieces)

    def declare_kind(self, document: str, kind: Kind) -> None:
        """Note that the file says that a document was annotated with a kind."""
        self.kinds[document] = self.kinds.get(document, frozenset()) | {kind}

    def add_class(self, document: str, relevant: bool | None) -> None:
        """Note a classification; a document with several has no class."""
        self.class_counts[document] += 1
        if relevant is not None and self.class_counts[document] == 1:
            self.relevant[document] = relevant
        else:
            self.relevant.pop(document, None)

    def iter_relations(self) -> Iterable[TextRelation]:
        """The relations of the file, of which entities may lack a type."""
        return self.relations

    def finish(self) -> AnnotatedTextFile:
        """The content of the file. RefusedFileError with all faults if there are any."""
        if not self.documents and not self.faults:
            self.faults.add("R659", 0, 0, "the file has no document - add one")
        if self.faults:
            raise RefusedFileError(self.faults.list_faults())
        return self.build_content()

    def build_content(self) -> AnnotatedTextFile:
        """What was collected so far, whatever the faults."""
        return AnnotatedTextFile(
            list(self.documents),
            self.mentions,
            self.warnings.list_faults(),
            self.pairs,
            self.relevant,
            TypedRelations(self.iter_relations, self.mentions),
            self.entities,
            self.labels,
            self.kinds,
            [*self.left_out, *self.unkept_attributes.values()],
            self.document_texts or {},
            self.individual_mentions,
        )
