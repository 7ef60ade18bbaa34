"""The fields of PSI-MITAB: values `database:identifier(text)` separated by `|`, quoted if they have such characters.

Source: https://psicquic.github.io/MITAB27Format.html
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from annotations.formats.mitab.columns import MITAB_EMPTY

MITAB_FIELD_BREAK = re.compile(r"[\t\r\n]")
MITAB_RESERVED = re.compile(r'[|:()"\\]|^-?$')
ESCAPED = re.compile(r"\\(.)")
# Bars and colons in quotation marks do not separate. Without a closing mark, the text is searched once: then all marks
# that follow are escaped, and are not tried as opening ones.
IN_QUOTES = r'[^"\\]*+(?:\\.[^"\\]*+)*+'
BAR_OR_QUOTED = re.compile(rf'"{IN_QUOTES}"|\\[\\"]|(\|)')
COLON_OR_QUOTED = re.compile(rf'"{IN_QUOTES}"|\\[\\"]|(:)')
QUOTED_VALUE = re.compile(rf'"({IN_QUOTES})"\s*(?:\((.*)\))?', re.DOTALL)
QUOTED_TEXT = re.compile(rf'([^"]*)\("({IN_QUOTES})"\)', re.DOTALL)


class MitabValue(NamedTuple):
    """One value of a field: `uniprotkb:BRCA2(gene name)`. text: "" if there is none."""

    database: str
    identifier: str
    text: str = ""


def quote_mitab_value(text: str, reserved: re.Pattern[str] = MITAB_RESERVED) -> str:
    """The text on one line, in quotation marks if it contains characters that are reserved in MITAB."""
    line = MITAB_FIELD_BREAK.sub(" ", text)
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '"' if reserved.search(line) else line


def format_mitab_value(value: MitabValue) -> str:
    """`database:identifier(text)`; the database is one of PSI-MI or a namespace, which have no reserved characters."""
    text = f"({quote_mitab_value(value.text)})" if value.text else ""
    return f"{value.database}:{quote_mitab_value(value.identifier)}{text}"


def format_mitab_values(values: Iterable[MitabValue]) -> str:
    """A field of these values, `-` for none."""
    return "|".join(map(format_mitab_value, values)) or MITAB_EMPTY


def parse_mitab_values(field: str) -> list[MitabValue | None]:
    """The values of a field; None for one without a database. Empty values between bars are skipped."""
    if field.strip() in ("", MITAB_EMPTY):
        return []
    return [_parse_value(part) for part in _split_values(field) if part.strip()]


def _split_values(field: str) -> Iterator[str]:
    start = 0
    for match in BAR_OR_QUOTED.finditer(field):
        if match[1]:
            yield field[start : match.start()]
            start = match.end()
    yield field[start:]


def _parse_value(part: str) -> MitabValue | None:
    colon = next((match.start() for match in COLON_OR_QUOTED.finditer(part) if match[1]), -1)
    database = _unquote(part[: max(colon, 0)].strip())
    if not database:
        return None
    rest = part[colon + 1 :].strip()
    if match := QUOTED_VALUE.fullmatch(rest):
        return MitabValue(database, ESCAPED.sub(r"\1", match[1]), _unquote(match[2] or ""))
    if match := QUOTED_TEXT.fullmatch(rest):
        return MitabValue(database, match[1].strip(), ESCAPED.sub(r"\1", match[2]))
    # Names may have parentheses, too: the last ones have the text.
    start = _find_opening(rest) if rest.endswith(")") else -1
    if start < 0:
        return MitabValue(database, _unquote(rest))
    return MitabValue(database, _unquote(rest[:start]), _unquote(rest[start + 1 : -1]))


def _find_opening(text: str) -> int:
    """Where the parenthesis opens that the last character closes; -1 if none does."""
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return -1


def _unquote(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text.startswith('"') and text.endswith('"'):
        return ESCAPED.sub(r"\1", text[1:-1])
    return text
