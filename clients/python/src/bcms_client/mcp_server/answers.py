"""What a tool answers: JSON of bounded size, which says what was left out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

MOST_CHARACTERS = 20_000
LONGEST_STRING = 400
LONGEST_LIST = 30
# Of the answer, for the note on what was left out.
NOTE_CHARACTERS = 500


def write_list(
    head: Mapping[str, Any], name: str, entries: Sequence[Any], hint: str, *, skip: int = 0, more: bool = False
) -> str:
    """The head with as many entries as fit, under their name, and a hint how to get the others.

    skip: how many entries come before these; {next} in the hint is how many come before those that were left out.
    more: further entries come after these, nobody knows how many.
    """
    answer, kept = shorten(head), []
    left = MOST_CHARACTERS - NOTE_CHARACTERS - len(dump_json(answer))
    for entry in map(shorten, entries):
        left -= len(dump_json(entry)) + 1
        if left < 0:
            break
        kept.append(entry)
    note = write_note(len(entries) - len(kept), name, hint.format(next=skip + len(kept)), more=more)
    return dump_json({**answer, name: kept, **note})


def write_text(head: Mapping[str, Any], text: str, start: int, most: int) -> str:
    """The head with at most so many characters of a text, from its character `start` on."""
    end = min(start + most, len(text))
    note = write_note(len(text) - end, "characters", f"Call again with start={end}.")
    return dump_json({**shorten(head), "text_length": len(text), "text": text[start:end], **note})


def write_note(number: int, name: str, hint: str, *, more: bool = False) -> dict[str, str]:
    """The member that says how much was left out; none if nothing was."""
    if number <= 0 and not more:
        return {}
    return {"left_out": f"There are more {name}. {hint}" if more else f"{number} more {name}. {hint}"}


def shorten(value: Any) -> Any:
    """A value for JSON without members that say nothing; long strings and lists are cut, and say so."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        members = {str(name): shorten(each) for name, each in value.items()}
        return {name: each for name, each in members.items() if each not in (None, "", [], {})}
    if isinstance(value, list | tuple):
        rest = [f"... and {len(value) - LONGEST_LIST} more"] if len(value) > LONGEST_LIST else []
        return [*map(shorten, value[:LONGEST_LIST]), *rest]
    if isinstance(value, str) and len(value) > LONGEST_STRING:
        return f"{value[:LONGEST_STRING]}... ({len(value) - LONGEST_STRING} more characters)"
    return value


def dump_json(value: Any) -> str:
    """JSON without spaces, with letters as they are, but none that UTF-8 does not have."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return text.encode("utf-8", "replace").decode("utf-8")
