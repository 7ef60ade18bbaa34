"""Reads a gold standard of tab-separated values, one annotation per line.

Classification: `id TAB class`, class one of 0 1, true false, t f, y n, + - (in any case; + is positive). Taxon,
normalization and method: `id TAB identifier`. id is the article's ID in the challenge (PMID, DOI, opaque ID). No
header, no comments, no blank line; a line may end in CR LF. Source: the BioCreative evaluation library 3.2.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from annotations.formats.errors import FormatError
from annotations.identifiers.namespaces import NAMESPACES
from annotations.schema import AnnotationData, Kind

GOLD_CLASS_VALUES = dict.fromkeys(("1", "true", "t", "y", "+"), True) | dict.fromkeys(
    ("0", "false", "f", "n", "-"), False
)
ASCII_SPACE = " \t\r\v\f"
# A file with more faults than this is in another format; more faults would only hide that.
MOST_FAULTS = 1000


@dataclass(frozen=True, slots=True)
class GoldLine:
    """One annotation of the gold standard; line counts from 1. moved: from a slightly different text in the file."""

    line: int
    article: str
    annotation: AnnotationData
    moved: bool = False


@dataclass(frozen=True, slots=True)
class GoldLineFault:
    """A fault of a line. column: from 1 in characters; rule and message: see FormatError."""

    column: int
    rule: str
    message: str


def _parse_gold_class(value: str) -> AnnotationData | None:
    relevant = GOLD_CLASS_VALUES.get(value.lower())
    return None if relevant is None else AnnotationData(Kind.CLASSIFICATION, relevant=relevant)


def _make_gold_identifier_parser(kind: Kind, *databases: str) -> Callable[[str], AnnotationData | None]:
    """A parser of identifiers, which takes the first of these databases whose format matches."""

    def parse(value: str) -> AnnotationData | None:
        matches = [database for database in databases if NAMESPACES[database].pattern.fullmatch(value)]
        return AnnotationData(kind, database=matches[0], identifier=value) if matches else None

    return parse


@dataclass(frozen=True, slots=True)
class GoldValueFormat:
    """The second column. parse: None for an invalid value; expected: what it should be; fix: how to write it."""

    parse: Callable[[str], AnnotationData | None]
    expected: str
    fix: str


GOLD_VALUE_FORMATS = {
    Kind.CLASSIFICATION: GoldValueFormat(
        _parse_gold_class, "a class", "write 0 or 1, true or false, t or f, y or n, + or -"
    ),
    Kind.TAXON: GoldValueFormat(
        _make_gold_identifier_parser(Kind.TAXON, "ncbitaxon"),
        "an NCBI Taxonomy ID",
        "write the number alone, such as 9606",
    ),
    Kind.NORMALIZATION: GoldValueFormat(
        _make_gold_identifier_parser(Kind.NORMALIZATION, "ncbigene", "uniprot"),
        "an NCBI Gene ID or a UniProt accession",
        "write one such as 999 or P12830",
    ),
    Kind.METHOD: GoldValueFormat(
        _make_gold_identifier_parser(Kind.METHOD, "psi-mi"),
        "a PSI-MI ID",
        "write its prefix and four digits, such as MI:0018",
    ),
}


def scan_gold_tsv(content: bytes, kind: Kind, source: str) -> tuple[list[GoldLine], list[FormatError]]:
    """The valid lines of a gold standard of one kind in the order of the file, and all faults of the other lines.

    source is the file's name in the faults (R501 to R507). ValueError for a kind without such a format.
    """
    if kind not in GOLD_VALUE_FORMATS:
        raise ValueError(
            f"There is no gold standard file for the kind {kind}; kinds with one: {', '.join(GOLD_VALUE_FORMATS)}."
        )
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return [], [_make_undecodable_fault(content, error.start, source)]
    items = list(_iter_gold_lines_and_faults(text, kind))
    faults = [(item[0], item[1]) for item in items if isinstance(item, tuple)]
    return (
        [item for item in items if isinstance(item, GoldLine)],
        [FormatError(source, line, fault.column, fault.rule, fault.message) for line, fault in faults],
    )


def _make_undecodable_fault(content: bytes, offset: int, source: str) -> FormatError:
    line = content.count(b"\n", 0, offset) + 1
    column = offset - content.rfind(b"\n", 0, offset)
    return FormatError(source, line, column, "R501", "this byte is not UTF-8 - save the file as UTF-8 text")


def _iter_gold_lines_and_faults(text: str, kind: Kind) -> Iterator["GoldLine | tuple[int, GoldLineFault]"]:
    """Each valid line, or the line number and the fault; a repeated line gives both."""
    lines = text.removesuffix("\n").split("\n")
    if text.startswith("\ufeff"):
        yield 1, GoldLineFault(1, "R501", "the file begins with a byte order mark - save it as UTF-8 without one")
        lines[0] = lines[0].removeprefix("\ufeff")
    if not text.strip():
        yield 0, GoldLineFault(0, "R507", "the file is empty - write one line per article and annotation")
        return
    first_lines: dict[tuple[object, ...], int] = {}
    for number, line in enumerate(lines, 1):
        parsed = _parse_gold_line(line, number, kind)
        yield parsed if isinstance(parsed, GoldLine) else (number, parsed)
        if isinstance(parsed, GoldLine):
            first_line = first_lines.setdefault((parsed.article, parsed.annotation.key), number)
            if first_line != number:
                yield number, _make_repeat_fault(parsed, first_line, kind)


def _make_repeat_fault(line: GoldLine, first_line: int, kind: Kind) -> GoldLineFault:
    if kind == Kind.CLASSIFICATION:
        return GoldLineFault(
            1, "R506", f"article {line.article} already has a class in line {first_line} - keep one of the two"
        )
    annotation = f"{line.annotation.identifier} of article {line.article}"
    return GoldLineFault(1, "R506", f"{annotation} is already in line {first_line} - remove one of the two")


def _parse_gold_line(line: str, number: int, kind: Kind) -> GoldLine | GoldLineFault:
    """The annotation in a line, given without its line end, or the fault of the line."""
    columns = line.strip(ASCII_SPACE).split("\t")
    if columns == [""]:
        return GoldLineFault(1, "R502", "the line is blank - remove it")
    if len(columns) != 2:
        return GoldLineFault(1, "R503", f"columns: {len(columns)} - write two, article and value, separated by one tab")
    article, value = columns
    offset = line.index(article) + len(article) + 2
    if article != article.strip() or not article:
        return GoldLineFault(
            1, "R504", f"the article ID {article!r} is empty or has white space at its end - correct it"
        )
    annotation = GOLD_VALUE_FORMATS[kind].parse(value)
    if annotation is None:
        return GoldLineFault(
            offset, "R505", f"{value!r} is not {GOLD_VALUE_FORMATS[kind].expected} - {GOLD_VALUE_FORMATS[kind].fix}"
        )
    return GoldLine(number, article, annotation)
