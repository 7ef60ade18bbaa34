"""Reading the values of an answer one by one: each that is missing or of the wrong type is a broken rule of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotations.kinds import BrokenRule
from bcms.lib.foreign import bounded

LARGEST = 2**31 - 1
LONGEST_VERSION = 100


@dataclass(frozen=True, slots=True)
class AnswerRule:
    """One rule about the form of an answer; title and mend are sentences for the manual."""

    code: str
    title: str
    mend: str


RULES = {
    rule.code: rule
    for rule in (
        AnswerRule("R201", "A value that every such annotation needs is missing.", "Send it with every annotation."),
        AnswerRule("R202", "A value has another type than the protocol asks for.", "Send it as the type named."),
        AnswerRule(
            "R203",
            "The section of a mention is neither the title nor the abstract.",
            'Send "title" or "abstract", or leave the section away and count in the whole text.',
        ),
        AnswerRule(
            "R204",
            "An annotation given as an array has more values than the protocol knows.",
            "Send a struct, or the values in the order of the protocol.",
        ),
        AnswerRule(
            "R205",
            "A type of BeCalm is none of the protocol's.",
            "Send one of its types, such as GENE, PROTEIN, CHEMICAL, DISEASE, ORGANISM or UNKNOWN.",
        ),
        AnswerRule(
            "R206",
            "An annotation of BeCalm is of another article than the one that was asked for.",
            "Send under each communication id the annotations of its own document, with the id that was asked for.",
        ),
    )
}
TYPE_NAMES = {bool: "a boolean", int: "an int", float: "a double", str: "a string", bytes: "base64", list: "an array"}
TYPE_NAMES |= {dict: "a struct", type(None): "nil"}


class MalformedError(Exception):
    """One value of the answer cannot be read."""

    def __init__(self, code: str, where: str, message: str) -> None:
        super().__init__(message)
        self.broken = BrokenRule(code, where, message, RULES[code].mend)


def type_name(value: object) -> str:
    """The XML-RPC name of a value's type, with its article."""
    return TYPE_NAMES.get(type(value), "a date")


def wrong_type(where: str, value: object, wanted: str) -> MalformedError:
    shown = f" {bounded(str(value), 40)!r}" if isinstance(value, str | int | float) else ""
    return MalformedError(
        "R202", where, f"{wanted[0].upper()}{wanted[1:]} belongs here, not {type_name(value)}{shown}."
    )


@dataclass(frozen=True, slots=True)
class Fields:
    """The values of one annotation by name; where is its place in the answer ("mentions[3]"). nil counts as absent."""

    where: str
    values: Mapping[str, object]

    def place(self, name: str) -> str:
        return f"{self.where}.{name}" if self.where else name

    def needed(self, name: str) -> object:
        if self.values.get(name) is None:
            raise MalformedError("R201", self.place(name), f'The value "{name}" is missing.')
        return self.values[name]

    def text(self, name: str) -> str:
        value = self.needed(name)
        if not isinstance(value, str):
            raise wrong_type(self.place(name), value, "a string")
        return value

    def name(self, name: str) -> str:
        """A string, or the number that many servers send for an identifier made of digits."""
        value = self.needed(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.text(name)

    def integer(self, name: str) -> int:
        value = self.needed(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise wrong_type(self.place(name), value, "an int")
        if abs(value) > LARGEST:
            raise wrong_type(self.place(name), value, "an int of 32 bits")
        return value

    def integer_if_given(self, name: str) -> int | None:
        return None if self.values.get(name) is None else self.integer(name)

    def number_if_given(self, name: str) -> float | None:
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise wrong_type(self.place(name), value, "a double")
        return float(value) if isinstance(value, float) or abs(value) <= LARGEST else float("inf")


def as_struct(value: object, order: Sequence[str], where: str, what: str) -> tuple[Fields, list[str]]:
    """The value as a struct, and notes about what was accepted though it is not as the protocol says.

    An array holds the values in the protocol's order. what names this sort of struct in the notes. Raises
    MalformedError.
    """
    if isinstance(value, dict):
        strange = [bounded(str(name), 40) for name in value if name not in order]
        return Fields(where, value), [f'Nobody reads the value "{name}" of {what}.' for name in strange[:5]]
    if not isinstance(value, list):
        raise wrong_type(where, value, "a struct")
    if len(value) > len(order):
        message = f"The array has {len(value)} values, but there are only {len(order)}: {', '.join(order)}."
        raise MalformedError("R204", where, message)
    if not value:
        return Fields(where, {}), [f"An empty array stands for {what}; it was read as an empty struct."]
    notes = [f"An array stands for {what}; it was read in the order {', '.join(order)}."]
    return Fields(where, dict(zip(order, value, strict=False))), notes


def version_in(values: Mapping[str, object]) -> str:
    """Which version of its system a server says that it is: a text or a number, "" for anything else."""
    said = values.get("version")
    given = isinstance(said, str | int | float) and not isinstance(said, bool)
    return bounded(str(said).strip(), LONGEST_VERSION) if given else ""


def as_array(value: object, where: str) -> tuple[list[object], list[str]]:
    """The value as an array, which nil and an empty struct stand for too; notes as as_struct. Raises MalformedError."""
    if value == {}:
        return [], [f'An empty struct stands for "{where}"; it was read as an empty array.']
    if value is not None and not isinstance(value, list):
        raise wrong_type(where, value, "an array")
    return value or [], []
