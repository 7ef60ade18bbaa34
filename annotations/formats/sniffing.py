"""Which format a run or a gold standard is written in, told from how it begins and never from its name."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import BinaryIO

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.tsv_lines import BYTE_ORDER_MARK

# How files begin that gzip, zip and xz made, and those in UTF-16.
PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"\xfd7zXZ")
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
# Enough for the head of any XML or JSON file, and for some dozen lines of the others.
HEAD = 1 << 14


class Format(StrEnum):
    """What a file of results can be written in."""

    TSV = "tsv"
    BC2_XML = "bc2-xml"
    BIOC_XML = "bioc-xml"
    BIOC_JSON = "bioc-json"
    PUBTATOR = "pubtator"
    PUBANNOTATION = "pubannotation"
    TREC_RUN = "trec-run"
    TREC_QRELS = "trec-qrels"
    GENE_EVAL = "gene-eval"


ROOT = re.compile(rb"<([A-Za-z_][^\s/>]*)")
XML_ASIDES = re.compile(rb"<!--.*?(-->|\Z)|<\?.*?(\?>|\Z)|<!DOCTYPE[^>\[]*(\[[^\]]*\]\s*)?(>|\Z)", re.DOTALL)
# The key that stands first settles it: PubAnnotation has a text of its own, BioC has it in passages.
KEY = re.compile(
    rb'"(?:(text|target|sourcedb|sourceid|denotations|tracks|project)'
    rb'|source|date|key|documents|passages|bioctype|pmid|pmcid|PubTator3)"\s*:'
)
# Whole lines of these formats, without white space at their ends. Passages of tab-separated values have a rank, a
# confidence or a class where PubTator has a type.
PUBTATOR = re.compile(
    r"[^|\t]+\|[ta]\|.*"
    r"|[^\t|]+\t\d+\t\d+\t[^\t]*\t(?!(?:[+-]?[\d.]+(?:e[+-]?\d+)?|[tfyn+-]|true|false)(?:\t|$))[^\t]+(?:\t.*)?",
    re.IGNORECASE,
)
GENE_EVAL = re.compile(r"[^|\t]+\|\d+ \d+(\|.*)?")
TREC_RUN = re.compile(r"\S+\s+Q0\s+\S+\s+[+-]?\d+\s+\S+\s+\S+", re.IGNORECASE)
TREC_QRELS = re.compile(r"\S+\s+(?:0|Q0)\s+\S+\s+-?\d+", re.IGNORECASE)
LINE_FORMATS = (
    (Format.PUBTATOR, PUBTATOR),
    (Format.GENE_EVAL, GENE_EVAL),
    (Format.TREC_RUN, TREC_RUN),
    (Format.TREC_QRELS, TREC_QRELS),
)


def check_text(stream: BinaryIO, source: str) -> None:
    """RefusedFileError (R629) for a seekable stream, which is rewound, that is packed or otherwise no text."""
    stream.seek(0)
    head = stream.read(HEAD)
    stream.seek(0)
    if head.startswith(PACKED):
        said = "the file is packed - unpack it and give the file that was in it"
    elif head.startswith(UTF_16):
        said = "the file is UTF-16 - save it as UTF-8 text"
    elif b"\0" in head:
        said = "the file has zero bytes, so it is no text - give another one"
    else:
        return
    raise RefusedFileError([FormatError(source, 0, 0, "R629", said)])


def format_of(stream: BinaryIO) -> Format:
    """The format of a seekable stream, which is rewound; what has the form of no other is tab-separated values."""
    stream.seek(0)
    head = stream.read(HEAD).removeprefix(BYTE_ORDER_MARK).lstrip()
    stream.seek(0)
    if head.startswith(b"<"):
        root = ROOT.search(XML_ASIDES.sub(b"", head))
        return Format.BIOC_XML if root and root[1] in (b"collection", b"document") else Format.BC2_XML
    if head.startswith((b"{", b"[")):
        key = KEY.search(head)
        return Format.PUBANNOTATION if key and key[1] else Format.BIOC_JSON
    return format_of_lines(whole_lines(head))


def whole_lines(head: bytes) -> list[str]:
    """The lines of the beginning of a file but the last, of which there may be more; a single one counts."""
    lines = head.decode("utf-8", "replace").split("\n")
    kept = lines[:-1] if len(head) >= HEAD - len(BYTE_ORDER_MARK) and len(lines) > 1 else lines
    return [line.strip() for line in kept if line.strip()]


def format_of_lines(lines: Sequence[str]) -> Format:
    """The format of the first line, if most lines have it: a file with a fault here and there keeps its format.

    Of PubTator and gene mentions a first line with bars is enough, because no other format has a line like that.
    """
    for own, form in LINE_FORMATS:
        if lines and form.fullmatch(lines[0]):
            barred = "|" in lines[0] and "\t" not in lines[0] and own in (Format.PUBTATOR, Format.GENE_EVAL)
            if barred or 2 * sum(map(bool, map(form.fullmatch, lines))) > len(lines):
                return own
    return Format.TSV
