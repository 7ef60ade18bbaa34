"""Read a gold standard of tab-separated values: what is right, one annotation a line.

Classification: `id TAB class`, class one of 0 1, true false, t f, y n, + - (in any case; + is positive). Taxon,
normalization and method: `id TAB identifier`. id is whatever the challenge calls an article (PMID, DOI, opaque id). No
header, no comments, no blank line; a line may end in CR LF. Source: the BioCreative evaluation library
3.2. A file with a fault is refused whole, with every fault: a wrong gold standard must not score anybody.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from annotations.databases import DATABASES
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.kinds import Finding, Kind

CLASSES = dict.fromkeys(("1", "true", "t", "y", "+"), True) | dict.fromkeys(("0", "false", "f", "n", "-"), False)
ASCII_SPACE = " \t\r\v\f"
# A file with more faults than this is not of this format at all; the rest would only hide the cause.
MOST_FAULTS = 1000


@dataclass(frozen=True, slots=True)
class GoldLine:
    """One annotation of the gold standard; line counts from 1."""

    line: int
    article: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong in a line: column counts from 1 in characters; the rest as in FormatError."""

    column: int
    rule: str
    message: str


def classification(value: str) -> Finding | None:
    relevant = CLASSES.get(value.lower())
    return None if relevant is None else Finding(Kind.CLASSIFICATION, relevant=relevant)


def identifier_of(kind: Kind, *databases: str) -> Callable[[str], Finding | None]:
    """Reads an identifier of the first of these databases whose form it has."""

    def read(value: str) -> Finding | None:
        fitting = [database for database in databases if DATABASES[database].pattern.fullmatch(value)]
        return Finding(kind, database=fitting[0], identifier=value) if fitting else None

    return read


@dataclass(frozen=True, slots=True)
class Value:
    """What the second column holds: how it is read (None: it is not that), what it should be, how to write it."""

    read: Callable[[str], Finding | None]
    expected: str
    mend: str


VALUES = {
    Kind.CLASSIFICATION: Value(classification, "a class", "write 0 or 1, true or false, t or f, y or n, + or -"),
    Kind.TAXON: Value(
        identifier_of(Kind.TAXON, "ncbitaxon"), "an NCBI Taxonomy id", "write the number alone, such as 9606"
    ),
    Kind.NORMALIZATION: Value(
        identifier_of(Kind.NORMALIZATION, "ncbigene", "uniprot"),
        "an NCBI Gene id or a UniProt accession",
        "write one such as 999 or P12830",
    ),
    Kind.METHOD: Value(
        identifier_of(Kind.METHOD, "psi-mi"), "a PSI-MI id", "write its prefix and four digits, such as MI:0018"
    ),
}


def read_gold(content: bytes, kind: Kind, source: str) -> list[GoldLine]:
    """The lines of a gold standard of one kind, in the order of the file; source is the file's name in the faults.

    RefusedFileError with every fault of the file (rules R501 to R507). ValueError for a kind without such a format.
    """
    lines, faults = scan_gold(content, kind, source)
    if faults:
        raise RefusedFileError(faults[:MOST_FAULTS])
    return lines


def scan_gold(content: bytes, kind: Kind, source: str) -> tuple[list[GoldLine], list[FormatError]]:
    """As read_gold, but what could be read beside the faults of the rest, for who has more to check against."""
    if kind not in VALUES:
        raise ValueError(f"There is no gold standard file for the kind {kind}; kinds with one: {', '.join(VALUES)}.")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return [], [undecodable(content, error.start, source)]
    found = list(check(text, kind))
    faults = [(item[0], item[1]) for item in found if isinstance(item, tuple)]
    return (
        [item for item in found if isinstance(item, GoldLine)],
        [FormatError(source, line, fault.column, fault.rule, fault.message) for line, fault in faults],
    )


def undecodable(content: bytes, at: int, source: str) -> FormatError:
    line = content.count(b"\n", 0, at) + 1
    column = at - content.rfind(b"\n", 0, at)
    return FormatError(source, line, column, "R501", "this byte is not UTF-8 - save the file as UTF-8 text")


def check(text: str, kind: Kind) -> Iterator["GoldLine | tuple[int, Fault]"]:
    """Each line read, or its number with what is wrong with it."""
    lines = text.removesuffix("\n").split("\n")
    if text.startswith("\ufeff"):
        yield 1, Fault(1, "R501", "the file begins with a byte order mark - save it as UTF-8 without one")
        lines[0] = lines[0].removeprefix("\ufeff")
    if not text.strip():
        yield 0, Fault(0, "R507", "the file is empty - write one line per article and annotation")
        return
    said: dict[tuple[object, ...], int] = {}
    for number, line in enumerate(lines, 1):
        read = read_line(line, number, kind)
        yield read if isinstance(read, GoldLine) else (number, read)
        if isinstance(read, GoldLine):
            first = said.setdefault((read.article, read.finding.key), number)
            if first != number:
                yield number, repeated(read, first, kind)


def repeated(line: GoldLine, first: int, kind: Kind) -> Fault:
    if kind == Kind.CLASSIFICATION:
        return Fault(1, "R506", f"article {line.article} has its class in line {first} already - keep one of the two")
    what = f"{line.finding.identifier} of article {line.article}"
    return Fault(1, "R506", f"{what} stands in line {first} already - remove one of the two")


def read_line(line: str, number: int, kind: Kind) -> GoldLine | Fault:
    """One line without its line end, or what is wrong with it."""
    columns = line.strip(ASCII_SPACE).split("\t")
    if columns == [""]:
        return Fault(1, "R502", "the line is blank - remove it")
    if len(columns) != 2:
        return Fault(1, "R503", f"columns: {len(columns)} - write two, article and value, with one tab between")
    article, value = columns
    offset = line.index(article) + len(article) + 2
    if article != article.strip() or not article:
        return Fault(1, "R504", f"the article's id {article!r} has white space at its end - remove it")
    finding = VALUES[kind].read(value)
    if finding is None:
        return Fault(offset, "R505", f"{value!r} is not {VALUES[kind].expected} - {VALUES[kind].mend}")
    return GoldLine(number, article, finding)
