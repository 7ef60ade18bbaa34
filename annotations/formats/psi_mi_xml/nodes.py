"""Elements of PSI-MI XML as plain data, with their lines."""

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class XmlNode:
    """An element with what is in it. line, column: where its tag begins, from 1. text: without that of its children."""

    name: str
    attributes: dict[str, str]
    line: int
    column: int
    letters: list[str] = field(default_factory=list)
    children: list["XmlNode"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text as it is written; see `stripped`."""
        return "".join(self.letters)

    @property
    def stripped(self) -> str:
        return self.text.strip()

    def find(self, *path: str) -> "XmlNode | None":
        """The first child of the first child ... with these names, None if there is none."""
        node: XmlNode | None = self
        for name in path:
            node = next(node.iter_children(name), None) if node else None
        return node

    def iter_children(self, *names: str) -> Iterator["XmlNode"]:
        """The children with one of these names."""
        return (child for child in self.children if child.name in names)

    def iter_list(self, list_name: str, *names: str) -> Iterator["XmlNode"]:
        """The children of the list with this name; nothing without the list."""
        if found := self.find(list_name):
            yield from found.iter_children(*names)
