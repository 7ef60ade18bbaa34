"""The text of JATS and HTML documents, block by block.

White space at both ends of a block is indentation of the markup and not part of the text; within a block every
character is kept. Trees are walked without recursion, so their depth is not limited.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

MARKUP_SPACE = " \t\r\n\f"
CELL_TAGS = frozenset({"td", "th"})
LINE_BREAK_TAGS = frozenset({"br", "break"})
MarkupElement = Any


@dataclass(frozen=True, slots=True)
class MarkupBlock:
    """The text of a block, not empty, and the innermost block element that contains it."""

    element: MarkupElement
    text: str


@dataclass(frozen=True, slots=True)
class MarkupRules:
    """blocks: names of elements whose text stands apart from the text around it; is_skipped: whether to skip one."""

    blocks: frozenset[str]
    is_skipped: Callable[[MarkupElement], bool]


def iter_markup_blocks(root: MarkupElement, markup: MarkupRules) -> Iterator[MarkupBlock]:
    """Yield the blocks below an element in document order; the cells of a table row are separated by tabs.

    The number of blocks is not limited; callers stop when an article has too many.
    """
    letters: list[str] = []
    block_elements = [root]
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        is_block = element.tag in markup.blocks
        if is_block or element is root:
            if text := "".join(letters).strip(MARKUP_SPACE):
                yield MarkupBlock(block_elements[-1], text)
            letters.clear()
        if event == "start" and element is not root and markup.is_skipped(element):
            walk.skip_subtree()
            block_elements.append(element)
        elif event == "start":
            letters += _make_opening_text(element, letters)
            block_elements.append(element if is_block else block_elements[-1])
        else:
            block_elements.pop()
            if element is not root:
                letters.append(element.tail or "")


def _make_opening_text(element: MarkupElement, letters: list[str]) -> list[str]:
    separator = "\t" if element.tag in CELL_TAGS and letters else "\n" if element.tag in LINE_BREAK_TAGS else ""
    return [separator, element.text or ""]


def join_block_texts_with_spaces(element: MarkupElement, markup: MarkupRules) -> str:
    """All text of an element, its blocks joined by one space."""
    return " ".join(block.text for block in iter_markup_blocks(element, markup))
