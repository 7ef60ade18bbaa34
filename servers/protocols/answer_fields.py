"""Read the values of an answer one by one; each missing or mistyped value is a broken rule of its own."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from annotations.schema import BrokenRule
from bcms.lib.text import clip_text_replacing_unprintable

LARGEST_INTEGER = 2**31 - 1
LONGEST_VERSION = 100
INTEGER_TEXT = re.compile(r"\s*[+-]?[0-9]{1,10}\s*")
NUMBER_TEXT = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
LONGEST_SHOWN_NAME = 40
# Unknown members of one struct that notes name.
MOST_NAMED = 5
# Python refuses to convert longer integers.
MOST_DIGITS = 4000


@dataclass(frozen=True, slots=True)
class UnreadableValue:
    """A value of an answer that no type of ours can hold; description names it in messages ("an int of 9,000 digits").

    It matters only where the value is needed.
    """

    description: str

    def __str__(self) -> str:
        return self.description


def parse_integer_or_unreadable(digits: str) -> int | UnreadableValue:
    """The integer, or what stands for it if it has thousands of digits. Raises ValueError when it is none."""
    if len(digits) <= MOST_DIGITS:
        return int(digits)
    return UnreadableValue(f"an int of {sum(map(digits.count, '0123456789')):,} digits")


@dataclass(frozen=True, slots=True)
class AnswerRule:
    """One rule about the form of an answer; title and mend (how to fix it) are sentences for the manual."""

    code: str
    title: str
    mend: str


ANSWER_RULES = {
    rule.code: rule
    for rule in (
        AnswerRule(
            "R128",
            "The arguments of a relation are mentions and entities: relations do not refer to each other.",
            "Send one relation with all its mentions and entities, and name in its roles what each of them is.",
        ),
        AnswerRule("R201", "A required value of an annotation is missing.", "Send it with every annotation."),
        AnswerRule("R202", "A value has the wrong type.", "Send a value of the type that the message names."),
        AnswerRule(
            "R203",
            "The section of a mention is neither the title nor the abstract.",
            'Send "title" or "abstract", or omit the section and send offsets in the whole text.',
        ),
        AnswerRule(
            "R204",
            "An annotation sent as an array has too many values.",
            "Send a struct, or an array of the values in the order of the protocol.",
        ),
        AnswerRule(
            "R205",
            "The type of a BeCalm annotation is not one of the protocol's types.",
            "Send one of the protocol's types, such as GENE, PROTEIN, CHEMICAL, DISEASE, ORGANISM or UNKNOWN.",
        ),
        AnswerRule(
            "R206",
            "A BeCalm annotation is about another article than the requested one.",
            "Send for each communication id only the annotations of its own document, with the requested document id.",
        ),
        AnswerRule(
            "R208",
            "Each local id that a relation refers to is that of one mention.",
            "Give every mention its own id.",
        ),
        AnswerRule(
            "R209",
            "Each fragment of a mention in PubAnnotation is chained to its mention, and not in a circle.",
            "Send one denotation with a list of spans. Or send a relation with the pred _lexicallyChainedTo for each "
            "fragment, with the mention as subj and the fragment as obj.",
        ),
        AnswerRule(
            "R210",
            "The subject of an attribute in PubAnnotation is a denotation or relation of the answer.",
            "Send the id of a denotation or relation of the same answer as subj.",
        ),
        AnswerRule(
            "R211",
            "The text that was sent has the words of each annotation of an answer with a slightly different text.",
            "Return the text exactly as it was sent, or without it, and count positions in the text that was sent.",
        ),
    )
}
TYPE_NAMES = {bool: "a boolean", int: "an int", float: "a double", str: "a string", bytes: "base64", list: "an array"}
TYPE_NAMES |= {dict: "a struct", type(None): "nil"}


class MalformedValueError(Exception):
    """A value of the answer cannot be read; broken_rule says why. mend is how to fix it, by default the rule's."""

    def __init__(self, code: str, where: str, message: str, mend: str = "") -> None:
        super().__init__(message)
        self.broken_rule = BrokenRule(code, where, message, mend or ANSWER_RULES[code].mend)


def _format_type_name(value: object) -> str:
    """The XML-RPC name of a value's type, with "a" or "an"."""
    if isinstance(value, UnreadableValue):
        return value.description
    return TYPE_NAMES.get(type(value), "a date")


def make_wrong_type_error(where: str, value: object, expected_type: str) -> MalformedValueError:
    shown = f" {clip_text_replacing_unprintable(str(value), 40)!r}" if isinstance(value, str | int | float) else ""
    return MalformedValueError("R202", where, f"Expected {expected_type}, but got {_format_type_name(value)}{shown}.")


@dataclass(frozen=True, slots=True)
class AnswerFields:
    """The values of one annotation by name; where is its path in the answer ("mentions[3]"). nil counts as missing.

    notes are sentences about deviations that were accepted; reading a value can add one. unknown_names are the members
    that nothing reads.
    """

    where: str
    values: Mapping[str, object]
    notes: list[str] = field(default_factory=list)
    unknown_names: Sequence[str] = ()

    def get_path(self, name: str) -> str:
        return f"{self.where}.{name}" if self.where else name

    def require_value(self, name: str) -> object:
        if self.values.get(name) is None:
            raise MalformedValueError("R201", self.get_path(name), f'The value "{name}" is missing.')
        return self.values[name]

    def require_text(self, name: str) -> str:
        value = self.require_value(name)
        if not isinstance(value, str):
            raise make_wrong_type_error(self.get_path(name), value, "a string")
        return value

    def find_text(self, name: str) -> str:
        """A string, "" if it is missing."""
        return "" if self.values.get(name) is None else self.require_text(name)

    def require_text_or_digits(self, name: str) -> str:
        """A string; also accepts a number, which some libraries send for a string of digits, with a note."""
        value = self.require_value(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST_INTEGER:
            self.notes.append(f'The value "{name}" was sent as a number and read as a string. Send strings.')
            return str(value)
        return self.require_text(name)

    def require_identifier(self, name: str) -> str:
        """A string; also accepts an int, which many servers send for identifiers made of digits."""
        value = self.require_value(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.require_text(name)

    def require_integer(self, name: str) -> int:
        value = self.require_value(name)
        if isinstance(value, str) and INTEGER_TEXT.fullmatch(value):
            self._note_number_as_string(name)
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise make_wrong_type_error(self.get_path(name), value, "an int")
        if abs(value) > LARGEST_INTEGER:
            raise make_wrong_type_error(self.get_path(name), value, "an int of 32 bits")
        return value

    def find_integer(self, name: str) -> int | None:
        return None if self.values.get(name) is None else self.require_integer(name)

    def find_number(self, name: str) -> float | None:
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, str) and NUMBER_TEXT.fullmatch(value):
            self._note_number_as_string(name)
            value = float(value)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise make_wrong_type_error(self.get_path(name), value, "a double")
        return float(value) if isinstance(value, float) or abs(value) <= LARGEST_INTEGER else float("inf")

    def _note_number_as_string(self, name: str) -> None:
        self.notes.append(f'The value "{name}" was sent as a string and read as a number. Send numbers.')


def parse_struct_or_ordered_array(
    value: object,
    field_order: Sequence[str],
    answer_path: str,
    struct_title: str,
    open_members: Collection[str] = (),
) -> AnswerFields:
    """The value as a struct, with notes about accepted deviations from the protocol.

    An array is read as the values of field_order. open_members are further names, which only structs have. struct_title
    is the name of the struct in the notes. Raises MalformedValueError for values of other types and arrays that are too
    long.
    """
    if isinstance(value, dict):
        unknown = [str(name) for name in value if name not in field_order and name not in open_members]
        shown = [clip_text_replacing_unprintable(name, LONGEST_SHOWN_NAME) for name in unknown[:MOST_NAMED]]
        notes = [f'The unknown value "{name}" of {struct_title} was ignored.' for name in shown]
        return AnswerFields(answer_path, value, notes, unknown)
    if not isinstance(value, list):
        raise make_wrong_type_error(answer_path, value, "a struct")
    if len(value) > len(field_order):
        message = (
            f"The array has {len(value)} values, but at most {len(field_order)} are allowed: {', '.join(field_order)}."
        )
        raise MalformedValueError("R204", answer_path, message)
    if not value:
        note = f"An empty array was sent for {struct_title} and read as an empty struct."
        return AnswerFields(answer_path, {}, [note])
    note = f"An array was sent for {struct_title} and read in the order {', '.join(field_order)}."
    return AnswerFields(answer_path, dict(zip(field_order, value, strict=False)), [note])


def read_system_version_or_empty(answer_values: Mapping[str, object]) -> str:
    """The version of its system that a server states as a string or number, "" for anything else."""
    version = answer_values.get("version")
    is_stated = isinstance(version, str | int | float) and not isinstance(version, bool)
    return clip_text_replacing_unprintable(str(version).strip(), LONGEST_VERSION) if is_stated else ""


def parse_array_or_empty_value(value: object, answer_path: str) -> tuple[list[object], list[str]]:
    """The value as an array, and notes about accepted deviations; nil and an empty struct count as empty arrays.

    Raises MalformedValueError for values of other types.
    """
    if value == {}:
        return [], [f'An empty struct was sent for "{answer_path}" and read as an empty array.']
    if value is not None and not isinstance(value, list):
        raise make_wrong_type_error(answer_path, value, "an array")
    return value or [], []
