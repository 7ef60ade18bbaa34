"""The text of marked-up documents, block by block, as JATS and HTML have it.

White space at both ends of a block is indentation of the markup and no part of the text; within a block every
character stays as it came. Trees are walked without recursion, however deep they are.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

SPACE = " \t\r\n\f"
CELLS = frozenset({"td", "th"})
BREAKS = frozenset({"br", "break"})
Element = Any


@dataclass(frozen=True, slots=True)
class Block:
    """A block's text, not empty, and the innermost element that makes a block of it."""

    element: Element
    text: str


@dataclass(frozen=True, slots=True)
class Markup:
    """blocks: names of elements that stand apart from the text around them; skips: whether an element is no text."""

    blocks: frozenset[str]
    skips: Callable[[Element], bool]


def blocks_of(root: Element, markup: Markup) -> Iterator[Block]:
    """The blocks under an element, in the order of the document; cells of a row of a table have tabs between.

    Whoever makes passages of them stops where an article has too many.
    """
    letters: list[str] = []
    opened = [root]
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        is_block = element.tag in markup.blocks
        if is_block or element is root:
            if text := "".join(letters).strip(SPACE):
                yield Block(opened[-1], text)
            letters.clear()
        if event == "start" and element is not root and markup.skips(element):
            walk.skip_subtree()
            opened.append(element)
        elif event == "start":
            letters += _opening(element, letters)
            opened.append(element if is_block else opened[-1])
        else:
            opened.pop()
            if element is not root:
                letters.append(element.tail or "")


def _opening(element: Element, letters: list[str]) -> list[str]:
    sign = "\t" if element.tag in CELLS and letters else "\n" if element.tag in BREAKS else ""
    return [sign, element.text or ""]


def flat(element: Element, markup: Markup) -> str:
    """All text of an element, its blocks joined by one space."""
    return " ".join(block.text for block in blocks_of(element, markup))
