"""The spans of PubAnnotation's denotations: one, a list, or a chain of fragments."""

from collections.abc import Sequence

from annotations.articles.text_parts import join_text_of_parts
from annotations.formats.pubannotation.chains import CHAIN_PREDICATE, FRAGMENT_OBJECT, join_chains
from annotations.schema import Span
from servers.protocols.answer_fields import AnswerFields, MalformedValueError, parse_struct_or_ordered_array
from servers.protocols.parsed_answers import ParsedAnswer

CHAIN_RULE = "R209"
TYPED_FRAGMENT = "It is a fragment of another denotation, so its own obj is not stored."


class ChainedDenotations:
    """The denotations of an answer, of which those that are chained are one.

    denotations and relations are those of an answer that are structs, in its order.
    """

    def __init__(
        self, parsed: ParsedAnswer, denotations: Sequence[AnswerFields], relations: Sequence[AnswerFields]
    ) -> None:
        self.parsed = parsed
        self.by_id = {get_denotation_id(fields): fields for fields in reversed(denotations)}
        links = [link for link in relations if is_chain(link)]
        self.chains = join_chains((str(link.values.get("subj")), str(link.values.get("obj"))) for link in links)
        for link in links:
            self._check_link(link)

    def _check_link(self, link: AnswerFields) -> None:
        for name in ("subj", "obj"):
            if str(link.values.get(name)) not in self.by_id:
                message = "A chain leads to what is not a denotation of the answer."
                error = MalformedValueError(CHAIN_RULE, link.get_path(name), message)
                self.parsed.broken_rules.append(error.broken_rule)
                return

    def is_mention_unless_fragment(self, fields: AnswerFields) -> bool:
        """Whether a denotation is a mention itself. A fragment without a mention is a broken rule."""
        denotation_id = get_denotation_id(fields)
        is_fragment = fields.values.get("obj") == FRAGMENT_OBJECT
        if denotation_id in self.chains.circular:
            self._break_rule(fields, "Fragments are chained in a circle.")
        elif denotation_id in self.chains.chained:
            if not is_fragment:
                self.parsed.omitted.add(fields.where, TYPED_FRAGMENT)
        elif is_fragment:
            self._break_rule(fields, "It is a fragment, but not of any denotation.")
        else:
            return True
        return False

    def _break_rule(self, fields: AnswerFields, message: str) -> None:
        self.parsed.broken_rules.append(MalformedValueError(CHAIN_RULE, fields.where, message).broken_rule)

    def find_head(self, denotation_id: str) -> str:
        """The id of the denotation that a fragment belongs to; any other id itself."""
        heads = self.chains.heads.get(denotation_id, ())
        return heads[0] if len(heads) == 1 else denotation_id

    def read_spans(self, fields: AnswerFields) -> tuple[Span, ...]:
        """All spans of a mention: in the order of its list, or of the text if there are fragments.

        Raises MalformedValueError.
        """
        spans = self._read_own_spans(fields)
        fragments = self.chains.fragments.get(get_denotation_id(fields), ())
        chained = [self._read_own_spans(self.by_id[each]) for each in fragments if each in self.by_id]
        return tuple(sorted((*spans, *(span for own in chained for span in own)))) if chained else spans

    def _read_own_spans(self, fields: AnswerFields) -> tuple[Span, ...]:
        value, path = fields.require_value("span"), fields.get_path("span")
        if isinstance(value, list) and value and all(isinstance(each, dict | list) for each in value):
            return tuple(self._read_span(each, f"{path}[{index}]") for index, each in enumerate(value))
        return (self._read_span(value, path),)

    def _read_span(self, value: object, path: str) -> Span:
        span = parse_struct_or_ordered_array(value, ("begin", "end"), path, "a span")
        start, end = span.require_integer("begin"), span.require_integer("end")
        self.parsed.note_fields(span)
        return Span(start, end)


def is_chain(relation: AnswerFields) -> bool:
    return relation.values.get("pred") == CHAIN_PREDICATE


def get_denotation_id(fields: AnswerFields) -> str:
    """The id of a denotation; its path if it has none."""
    return str(fields.values.get("id", fields.where))


def extract_text_of_spans(spans: Sequence[Span], text: str) -> str:
    """The text of a mention with these spans; "" if one is empty or not within the text."""
    is_inside = all(0 <= start < end <= len(text) for start, end in spans)
    return join_text_of_parts(spans, text) if is_inside else ""
