"""Lines of values between tabs, or any white space, as columns, a block at a time: ten million need little memory.

Source: BioCreative evaluation library. White space (space, tab, CR, VT, FF) at both ends of a line is not part of it,
so that a line may end in CR LF and empty columns at its end vanish; every tab within separates. The last line may lack
its end, and CR alone ends none. Bytes that are not UTF-8 are kept as they are, as surrogates.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import BinaryIO

# So much fits the cache of a processor: larger blocks are slower.
BLOCK = 1 << 16
WHITE_SPACE = " \t\r\v\f"
# No line holds its own end.
MARK = "\n"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
TO_TABS = bytes.maketrans(b" \r\v\f", b"\t\t\t\t")
SOME_TABS = re.compile(rb"\t\t+")
FIELD = re.compile(r"[^ \t\r\v\f]+")


@dataclass(frozen=True, slots=True)
class Layout:
    """What separates the columns of a line: every separator, or, loose, any white space; rule: the code of the fault of
    a line with more columns or fewer, between: how to name the separator there.
    """

    loose: bool
    rule: str
    between: str
    separator: str = "\t"


TABS = Layout(loose=False, rule="R603", between="one tab between")


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of a file, one after the other.

    columns: [columns][rows], of the lines that have as many columns as they should; odd: (line, columns) of the others,
    lines from 1, a blank line with 0 columns.
    """

    columns: list[list[str]]
    odd: list[tuple[int, int]]


def text_lines(stream: BinaryIO, layout: Layout = TABS) -> Iterator[list[str]]:
    """The lines of the stream, which stands at its start, without white space at their ends, a block at a time.

    A byte order mark is skipped. One tab stands between the columns, whatever separates them in the file.
    """
    start = stream.read(len(BYTE_ORDER_MARK))
    head = b"" if start == BYTE_ORDER_MARK else start
    while piece := head + stream.read(BLOCK) + stream.readline():
        head = b""
        if layout.loose:
            piece = SOME_TABS.sub(b"\t", piece.translate(TO_TABS))
        text = piece.decode("utf-8", "surrogateescape")
        yield [line.strip(WHITE_SPACE) for line in text.removesuffix("\n").split("\n")]


def has_byte_order_mark(stream: BinaryIO) -> bool:
    """Whether the stream, which is rewound, begins with a byte order mark."""
    stream.seek(0)
    found = stream.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK
    stream.seek(0)
    return found


def usual_width(stream: BinaryIO) -> int:
    """How many columns most of the first lines have, 0 for an empty file; the stream is rewound."""
    stream.seek(0)
    widths = Counter(line.count("\t") + 1 for line in next(text_lines(stream), []) if line)
    stream.seek(0)
    return widths.most_common(1)[0][0] if widths else 0


def blocks(stream: BinaryIO, width: int, layout: Layout = TABS) -> Iterator[Block]:
    """All lines of the stream, which stands at its start, in columns; `width`, at least 2, is how many there are."""
    before = 0
    for lines in text_lines(stream, layout):
        yield cells(lines, width) or sorted_out(lines, width, before)
        before += len(lines)


def cells(lines: list[str], width: int) -> Block | None:
    """The block of lines that all have `width` columns, None when one has not.

    A mark stands between the lines, which has to be found in the same place behind each.
    """
    found = f"\t{MARK}\t".join(lines).split("\t")
    step = width + 1
    if len(found) != len(lines) * step - 1 or found[width::step].count(MARK) != len(lines) - 1:
        return None
    return Block([found[place::step] for place in range(width)], [])


def sorted_out(lines: list[str], width: int, before: int) -> Block:
    """The block of any lines; before: how many lines are above them."""
    widths = [line.count("\t") + 1 if line else 0 for line in lines]
    odd = [(number, own) for number, own in enumerate(widths, before + 1) if own != width]
    even = cells([line for line, own in zip(lines, widths, strict=True) if own == width], width)
    return Block(even.columns if even else [[] for _ in range(width)], odd)


def fields_of(line: str, layout: Layout = TABS) -> list[tuple[int, str]]:
    """The columns of a line as it stands in the file, each with its place there, in characters from 0."""
    if layout.loose:
        return [(found.start(), found[0]) for found in FIELD.finditer(line)]
    stripped = line.strip(WHITE_SPACE)
    start = len(line) - len(line.lstrip(WHITE_SPACE)) if stripped else 0
    fields = []
    for field in stripped.split(layout.separator):
        fields.append((start, field))
        start += len(field) + 1
    return fields


def raw_lines(stream: BinaryIO, wanted: Collection[int]) -> dict[int, str]:
    """The lines with these numbers, from 1, as they stand in the file but for their end; the stream is read anew."""
    last = max(wanted, default=0)
    stream.seek(0)
    found = {}
    for number, line in enumerate(stream, 1):
        if number in wanted:
            found[number] = line.decode("utf-8", "replace").removesuffix("\n")
        if number >= last:
            break
    return found
