"""Resolves the lines of a document in brat standoff to mentions and relations.

Notes of exports hold annotations with all their members; where somebody has changed a line since, the line counts. In
other files a mention has its type, spans and normalizations. The trigger of an event is evidence; it is an argument of
an event with a single other one, and stands for an event that is itself an argument.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from annotations.formats.annotated_text.declared_members import (
    DeclaredItem,
    InvalidMembersError,
    collect_declared_item,
    parse_declared_annotation,
    parse_declared_kind,
)
from annotations.formats.annotated_text.identifier_fields import split_distinct_identifiers_without_prefix
from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.annotated_text.mentions import (
    InteractionPair,
    LeftOut,
    TextArgument,
    TextMention,
    TextRelation,
)
from annotations.formats.articles.article_record import ArticleRecord
from annotations.formats.bioc.documents import merge_overlapping_spans
from annotations.formats.bioc.text_relations import MOST_ARGUMENTS
from annotations.formats.brat.lines import LinkedLine, StandoffLines, TextBound, read_standoff_lines
from annotations.formats.brat.notes import DocumentRecords, Members, read_notes
from annotations.formats.brat.standoff import (
    EQUIVALENCE_TYPE,
    NUMBERED_ROLE,
    TRIGGER_ROLE,
    build_attributes,
    clean_brat_type,
    format_references,
    list_qualifier_attributes,
    parse_certainty_attributes,
    split_spans_at_line_breaks,
)
from annotations.formats.errors import quote_file_text
from annotations.schema import Kind, Qualifier, Span

UNKNOWN_TARGET = "R673"
EVENT_CYCLE = "R674"
INVALID_NOTE = "R668"


@dataclass(frozen=True, slots=True)
class BratDocument:
    """An article: its text and .ann file, and the name that both have.

    symmetric: the types of relations without direction.
    """

    name: str
    text: str
    standoff: str
    symmetric: Collection[str] = ()


class BratCollector(MentionCollector):
    """Collects the documents of an archive of brat standoff."""

    def add_document(self, document: BratDocument) -> None:
        """Collect the annotations of a document, and note its faults."""
        lines = read_standoff_lines(document.standoff, self.faults)
        records = read_notes(lines.notes)
        document_id = self.register_document(records.article.id if records.article else document.name, 1, 1)
        _DocumentReader(self, document_id, document, lines, records).read_annotations()
        self.keep_text(document_id, [(0, document.text)])
        self.add_source(document_id, document, records.article)

    def add_source(self, document_id: str, document: BratDocument, record: ArticleRecord | None) -> None:
        """Keep the text of a document, where it is needed."""


class _DocumentReader:
    """Resolves the lines of one document; mentions: of all text-bound annotations, by their IDs."""

    def __init__(
        self,
        collector: BratCollector,
        document_id: str,
        document: BratDocument,
        lines: StandoffLines,
        records: DocumentRecords,
    ) -> None:
        self.collector, self.document_id, self.text = collector, document_id, document.text
        self.lines, self.records, self.symmetric = lines, records, document.symmetric
        self.mentions: dict[str, TextMention] = {}
        self.spans: dict[str, tuple[Span, ...]] = {}
        self.events = {event.id: event for event in lines.events}
        self.triggers = {event.trigger for event in lines.events}
        self.attributes: dict[str, dict[str, str]] = defaultdict(dict)
        self.references: dict[str, list[str]] = defaultdict(list)

    def read_annotations(self) -> None:
        for attribute in self.lines.attributes:
            if self.check_target(attribute.line, attribute.target):
                self.attributes[attribute.target][attribute.name] = attribute.value
        for reference in self.lines.references:
            if self.check_target(reference.line, reference.target):
                self.references[reference.target].append(reference.value)
        for text_bound in self.lines.text_bounds:
            self.read_text_bound(text_bound)
        for line in (*self.lines.relations, *self.lines.events):
            self.read_linked_line(line)
        self.check_cycles()
        for members, note_line in self.records.annotations.pop(self.records.article_id, ()):
            self.collect_record(members, note_line)
        for note_line in self.records.other_notes:
            self.leave_out("notes", "they are text for people", note_line)

    def check_target(self, line: int, target: str) -> bool:
        """Whether there is an annotation with this ID; notes a fault otherwise."""
        if target not in self.lines.ids:
            problem = f"there is no annotation {quote_file_text(target)}"
            self.add_fault(UNKNOWN_TARGET, line, 1, f"{problem} - correct the ID, or add the annotation")
        return target in self.lines.ids

    def add_fault(self, rule: str, line: int, column: int, message: str) -> None:
        self.collector.faults.add(rule, line, column, message)

    def leave_out(self, part: str, reason: str, line: int) -> None:
        self.collector.left_out.append(LeftOut(self.document_id, part, reason, line))

    def declare_kind_if_others_are(self, kind: Kind) -> None:
        """Note a kind that notes may lack, because somebody has added an annotation since the export."""
        if self.collector.kinds.get(self.document_id):
            self.collector.declare_kind(self.document_id, kind)

    def parse_record(self, members: Members, line: int) -> DeclaredItem | None:
        """The annotation of a note; notes a fault if it is invalid."""
        try:
            return parse_declared_annotation(members, self.document_id, line, len(self.text))
        except InvalidMembersError as error:
            self.add_fault(INVALID_NOTE, line, 1, str(error))
            return None

    def collect_record(self, members: Members, line: int) -> None:
        """Collect the annotation of a note of the article."""
        try:
            kind = parse_declared_kind(members)
        except InvalidMembersError as error:
            self.add_fault(INVALID_NOTE, line, 1, str(error))
            return
        collect_declared_item(self.collector, kind, self.document_id, self.parse_record(members, line))

    # Text-bound annotations

    def read_text_bound(self, text_bound: TextBound) -> None:
        """Read a `T` line; it is a mention unless it is the article, a trigger, or an argument of relations only."""
        if not self.check_spans(text_bound):
            return
        line_id = text_bound.id
        self.spans[line_id] = text_bound.spans
        self.mentions[line_id] = self.make_mention(text_bound)
        if line_id == self.records.article_id or line_id in self.records.arguments:
            return
        records = self.records.annotations.get(line_id, ())
        for members, note_line in records:
            item = self.parse_record(members, note_line)
            if isinstance(item, TextMention):
                self.mentions[line_id] = self.update_mention(item, text_bound)
                collect_declared_item(self.collector, Kind.MENTION, self.document_id, self.mentions[line_id])
        if not records and line_id not in self.triggers:
            self.check_text(text_bound)
            self.note_other_attributes(text_bound)
            self.declare_kind_if_others_are(Kind.MENTION)
            self.collector.append_mention(self.mentions[line_id])

    def check_spans(self, text_bound: TextBound) -> bool:
        """Whether the spans lie in the text; notes a fault otherwise."""
        for start, end in text_bound.spans:
            if end <= start:
                problem = f"the mention ends at {end}, but starts at {start}"
                fix = "write the position after its last character as the end"
                self.add_fault("R654", text_bound.line, text_bound.column, f"{problem} - {fix}")
                return False
            if end > len(self.text):
                problem = f"the mention ends at {end}, but the text has only {len(self.text)} characters"
                self.add_fault("R655", text_bound.line, text_bound.column, f"{problem} - count code points of the text")
                return False
        return True

    def check_text(self, text_bound: TextBound) -> None:
        """Warn if the text of a mention in one part differs from the text at its position."""
        if len(text_bound.spans) == 1 and text_bound.text is not None:
            [(start, end)] = text_bound.spans
            text_at_position = self.text[start:end]
            if _join_lines(text_at_position) != _join_lines(text_bound.text):
                self.collector.check_mention_text(text_bound.text, text_at_position, text_bound.line, text_bound.column)

    def make_mention(self, text_bound: TextBound) -> TextMention:
        """The mention that a line says, without any note."""
        spans = merge_overlapping_spans(text_bound.spans)
        given = ";".join(self.references[text_bound.id])
        confidence, rank = parse_certainty_attributes(self.attributes[text_bound.id])
        return TextMention(
            self.document_id,
            spans[0].start,
            spans[-1].end,
            self.find_text(text_bound, spans),
            text_bound.type,
            split_distinct_identifiers_without_prefix(given),
            text_bound.line,
            spans if len(spans) > 1 else (),
            given,
            (),
            confidence,
            rank,
        )

    def find_text(self, text_bound: TextBound, spans: Sequence[Span]) -> str:
        """The text that a line gives for a mention, with the line breaks that brat writes as spaces."""
        text_at_spans = " ".join(self.text[start:end] for start, end in spans)
        if text_bound.text is None or _join_lines(text_bound.text) == _join_lines(text_at_spans):
            return text_at_spans
        return text_bound.text

    def update_mention(self, item: TextMention, text_bound: TextBound) -> TextMention:
        """The mention of a note, with what the lines say where they differ from those that are written for it."""
        line_mention = self.mentions[text_bound.id]
        if tuple(split_spans_at_line_breaks(item.parts, self.text)) != text_bound.spans:
            start, end, spans, text = line_mention.start, line_mention.end, line_mention.spans, line_mention.text
            item = replace(item, start=start, end=end, spans=spans, text=text)
        if format_references(item.list_links(), item.type) != self.references[text_bound.id]:
            item = replace(item, identifiers=line_mention.identifiers, given=line_mention.given, exact=())
        if clean_brat_type(item.type) != text_bound.type:
            item = replace(item, type=text_bound.type)
        if build_attributes(item.confidence, item.rank) != self.attributes[text_bound.id]:
            item = replace(item, confidence=line_mention.confidence, rank=line_mention.rank)
        return item

    def note_other_attributes(self, text_bound: TextBound) -> None:
        for name in list_qualifier_attributes(self.attributes[text_bound.id]):
            reason = f"a mention has no attribute {quote_file_text(name)}"
            self.leave_out("attributes", reason, text_bound.line)

    # Relations and events

    def read_linked_line(self, line: LinkedLine) -> None:
        """Read a relation, an equivalence or an event."""
        are_known = [self.check_target(line.line, target) for target in line.list_targets()]
        # Text-bound annotations that were refused have faults of their own.
        if not all(are_known) or not all(
            self.find_mention_id(target) in self.mentions for target in line.list_targets()
        ):
            return
        records = self.records.annotations.get(line.id, ()) if line.id != "*" else ()
        for members, note_line in records:
            item = self.parse_record(members, note_line)
            if isinstance(item, TextRelation):
                relation = self.update_relation(item, line)
                collect_declared_item(self.collector, Kind.RELATION, self.document_id, relation)
        if not records and (made := self.make_relation(line)):
            self.declare_kind_if_others_are(Kind.RELATION)
            self.append_relation(made)

    def find_mention_id(self, target: str) -> str:
        """The ID of the text-bound annotation that stands for an argument: the trigger of an event."""
        event = self.events.get(target)
        return event.trigger if event else target

    def append_relation(self, relation: TextRelation) -> None:
        self.collector.relations.append(relation)
        if len(relation.arguments) == 2 and all(argument.given for argument in relation.arguments):
            first, second = (
                ";".join(split_distinct_identifiers_without_prefix(argument.given)) for argument in relation.arguments
            )
            self.collector.pairs.append(InteractionPair(self.document_id, first, second, relation.type, relation.line))

    def make_relation(self, line: LinkedLine) -> TextRelation | None:
        """The relation that a line says, without any note; None if it has too few or too many arguments."""
        if len(line.list_targets()) < 2 or len(line.arguments) > MOST_ARGUMENTS:
            reason = f"an event has no argument, or more than {MOST_ARGUMENTS}"
            self.leave_out("relations", reason, line.line)
            return None
        arguments = tuple(self.iter_arguments(line))
        is_evidence = line.trigger and all(argument.role != TRIGGER_ROLE for argument in arguments)
        confidence, rank = parse_certainty_attributes(self.attributes[line.id])
        qualifiers = list_qualifier_attributes(self.attributes[line.id])
        return TextRelation(
            self.document_id,
            line.type,
            arguments,
            line.line,
            line.type not in {EQUIVALENCE_TYPE, *self.symmetric},
            _make_qualifiers(qualifiers),
            tuple(sorted(self.mentions[line.trigger].parts)) if is_evidence else (),
            confidence,
            rank,
        )

    def iter_arguments(self, line: LinkedLine) -> Iterator[TextArgument]:
        if line.trigger and len(line.arguments) == 1:
            yield self.make_argument(TRIGGER_ROLE, line.trigger)
        for role, target in line.arguments:
            if target in self.events:
                self.leave_out("events in events", "the trigger stands for an event that is an argument", line.line)
            yield self.make_argument(_strip_number(role), self.find_mention_id(target))

    def make_argument(self, role: str, mention_id: str) -> TextArgument:
        mention = self.mentions[mention_id]
        return TextArgument(role, mention.given, mention.type, mention.parts, mention.text, mention.exact)

    def update_relation(self, item: TextRelation, line: LinkedLine) -> TextRelation:
        """The relation of a note, with what the line says where it differs from the one that is written for it."""
        written_spans = [tuple(split_spans_at_line_breaks(each.spans, self.text)) for each in item.arguments]
        if written_spans != [self.spans[self.find_mention_id(target)] for _, target in line.arguments]:
            item = replace(item, arguments=tuple(self.iter_arguments(line)))
        if clean_brat_type(item.type, "Relation") != line.type:
            item = replace(item, type=line.type)
        written = build_attributes(item.confidence, item.rank, item.qualifiers)
        attributes = self.attributes[line.id]
        if written == attributes:
            return item
        confidence, rank = parse_certainty_attributes(attributes)
        unwritten = {name: value for name, value in item.qualifiers if name not in list_qualifier_attributes(written)}
        qualifiers = _make_qualifiers({**unwritten, **list_qualifier_attributes(attributes)})
        return replace(item, confidence=confidence, rank=rank, qualifiers=qualifiers)

    def check_cycles(self) -> None:
        """Note the first event that is an argument of itself, directly or through others."""
        done: set[str] = set()
        for event in self.lines.events:
            open_ids: dict[str, None] = {}
            stack = [(event.id, False)]
            while stack:
                event_id, is_finished = stack.pop()
                if is_finished:
                    open_ids.pop(event_id)
                    done.add(event_id)
                elif event_id in open_ids:
                    self.note_cycle(self.events[event_id])
                    return
                elif event_id not in done:
                    open_ids[event_id] = None
                    inner = (target for _, target in self.events[event_id].arguments if target in self.events)
                    stack += [(event_id, True), *((target, False) for target in inner)]

    def note_cycle(self, event: LinkedLine) -> None:
        problem = f"the event {quote_file_text(event.id)} is an argument of itself, directly or through others"
        self.add_fault(EVENT_CYCLE, event.line, 1, f"{problem} - remove one of these arguments")


def _join_lines(text: str) -> str:
    return " ".join(text.split())


def _strip_number(role: str) -> str:
    """The role without the number that tells several apart; empty for Arg1 and Arg2, which only say the order."""
    name = role.rstrip("0123456789")
    return "" if name == NUMBERED_ROLE else name or role


def _make_qualifiers(values: dict[str, str]) -> tuple[Qualifier, ...]:
    return tuple(Qualifier(name, value) for name, value in sorted(values.items()))
