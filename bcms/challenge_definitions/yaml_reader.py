"""Read a YAML file that a user sent, of which JSON is a part, so that each fault can name its line.

Anchors, aliases and tags are refused: a few lines of them can stand for gigabytes, or for objects of a program. Dates
stay strings, and only true and false are Booleans: a challenge named `no` keeps its name.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import yaml

from annotations.formats.errors import quote_file_text

MOST_YAML_BYTES = 256 * 1024
MOST_YAML_LEVELS = 12

_TAGS = "tag:yaml.org,2002:"
# How JSON writes a character beyond U+FFFF, if it escapes it: as two halves, which YAML refuses.
_ESCAPED_PAIR = re.compile(rb"(?<!\\)((?:\\\\)*)\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
_BYTES_BEFORE_JSON = b"\xef\xbb\xbf \t\r\n"


class YamlError(Exception):
    """The first fault of a file that is not such YAML. line and column count from 1; the message says how to fix it."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line, self.column = line, column


@dataclass(slots=True)
class LocatedDocument:
    """The values of a file, and {path: line} of each. A path has names and indexes, separated by dots: tasks.0.name."""

    content: Any = None
    lines: dict[str, int] = field(default_factory=dict)

    def find_line(self, path: str) -> int:
        """The line of the value with this path, or of the nearest value that it would be in."""
        while path and path not in self.lines:
            path = path.rpartition(".")[0]
        return self.lines.get(path, 1)


class _Loader(yaml.CSafeLoader):
    """Knows the scalars of JSON only."""

    yaml_implicit_resolvers: dict[Any, Any] = {}


_Loader.add_implicit_resolver(f"{_TAGS}null", re.compile(r"^(?:null|~|)$"), ["n", "~", ""])
_Loader.add_implicit_resolver(f"{_TAGS}bool", re.compile(r"^(?:true|false)$"), ["t", "f"])
_Loader.add_implicit_resolver(f"{_TAGS}int", re.compile(r"^-?(?:0|[1-9][0-9]{0,17})$"), list("-0123456789"))
_Loader.add_implicit_resolver(
    f"{_TAGS}float", re.compile(r"^-?(?:0|[1-9][0-9]{0,17})\.[0-9]{1,18}$"), list("-0123456789")
)


def read_yaml(content: bytes) -> LocatedDocument:
    """The one document in the file. YamlError for anything else, and for a file that is too large or nested deeply."""
    if len(content) > MOST_YAML_BYTES:
        raise YamlError(f"The file is larger than {MOST_YAML_BYTES // 1024} KiB. Send a smaller one.", 1, 1)
    if content.lstrip(_BYTES_BEFORE_JSON).startswith(b"{"):
        content = _ESCAPED_PAIR.sub(_unescape_pair, content)
    try:
        _check_events(yaml.parse(content, Loader=_Loader))
        node = yaml.compose(content, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise YamlError(f"This is not YAML: {error.problem or error.context}. Correct it here.", line, column) from None
    except yaml.reader.ReaderError as error:
        line = content.count(b"\n", 0, error.position) + 1
        message = "This line has a character that YAML does not allow. Remove it, or save the file as UTF-8 text."
        raise YamlError(message, line, 1) from None
    document = LocatedDocument()
    if node is not None:
        document.content = _build_value(node, "", document)
    return document


def _unescape_pair(pair: re.Match[bytes]) -> bytes:
    return pair[1] + bytes.fromhex((pair[2] + pair[3]).decode()).decode("utf-16-be").encode()


def _check_events(events: Iterable[Any]) -> None:
    level, documents = 0, 0
    for event in events:
        where = event.start_mark.line + 1, event.start_mark.column + 1
        documents += isinstance(event, yaml.DocumentStartEvent)
        if documents > 1:
            raise YamlError("The file has two documents. Send one file for each.", *where)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise YamlError("Anchors (&) and aliases (*) are not read. Write the value out.", *where)
        if getattr(event, "tag", None):
            raise YamlError("Tags (!) are not read. Remove it; put quotation marks around text.", *where)
        level += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if level > MOST_YAML_LEVELS:
            raise YamlError(f"The values are nested more than {MOST_YAML_LEVELS} levels deep.", *where)


def _build_value(node: yaml.Node, path: str, document: LocatedDocument) -> Any:
    document.lines[path] = node.start_mark.line + 1
    prefix = f"{path}." if path else ""
    if isinstance(node, yaml.SequenceNode):
        return [_build_value(part, f"{prefix}{place}", document) for place, part in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        built: dict[str, Any] = {}
        for key, part in node.value:
            where = key.start_mark.line + 1, key.start_mark.column + 1
            if not isinstance(key, yaml.ScalarNode):
                raise YamlError("A name is a list or a mapping. Write text before the colon.", *where)
            if key.value in built:
                raise YamlError(f"The name {quote_file_text(key.value)} is here twice. Remove one.", *where)
            built[key.value] = _build_value(part, f"{prefix}{key.value}", document)
            document.lines[f"{prefix}{key.value}"] = where[0]
        return built
    return _build_scalar(node)


def _build_scalar(node: yaml.Node) -> str | int | float | bool | None:
    text = str(node.value)
    match node.tag.removeprefix(_TAGS):
        case "null":
            return None
        case "bool":
            return text == "true"
        case "int":
            return int(text)
        case "float":
            return float(text)
        case _:
            return text
