"""Detects the format of a run or a gold standard from how the file begins, regardless of its name."""

import json
import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import PurePosixPath
from typing import BinaryIO

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.tsv.lines import BYTE_ORDER_MARK
from annotations.formats.zip.reader import ZIP_SIGNATURE, list_zip_names_or_none

# The first bytes of files made by gzip, xz, bzip2 and 7-Zip, of empty zip archives, and of files in UTF-16.
PACKED_SIGNATURES = (b"\x1f\x8b", b"\xfd7zXZ", b"BZh", b"7z\xbc\xaf", b"PK\x05\x06")
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# Enough for the prolog of any XML or JSON file, and for several dozen lines of the other formats.
SNIFFED_BYTES = 1 << 14


class ResultFormat(StrEnum):
    """The formats of files with results."""

    TSV = "tsv"
    BC2_XML = "bc2-xml"
    BIOC_XML = "bioc-xml"
    BIOC_JSON = "bioc-json"
    PUBTATOR = "pubtator"
    PUBANNOTATION = "pubannotation"
    BRAT = "brat"
    XMI = "uima-xmi"
    PSI_MI_XML = "psi-mi-xml"
    MITAB = "mitab"
    WEB_ANNOTATION = "web-annotation"
    WEB_ANNOTATION_TURTLE = "web-annotation-turtle"
    NDJSON = "ndjson"
    PARQUET = "parquet"
    TREC_RUN = "trec-run"
    TREC_QRELS = "trec-qrels"
    GENE_EVAL = "gene-eval"


# Lines of NDJSON that an export wrote, which may be longer than what is sniffed.
NDJSON_HEAD = re.compile(rb'\{"(?:id|article)": ?"[^{]*?"text_version": ?\d')
PARQUET_SIGNATURE = b"PAR1"
# Web Annotations in JSON-LD, whatever comes before their vocabulary, and the start of a file in Turtle.
WEB_ANNOTATION_CONTEXT = re.compile(
    rb'[\[{].*"@context"\s*:.*"https?://www\.w3\.org/ns/(?:anno\.jsonld|oa(?:\.jsonld|#)?)"', re.DOTALL
)
TURTLE_HEAD = re.compile(rb"(?:\s|#[^\n]*\n)*@?(?:prefix|base)\s", re.IGNORECASE)
# What files in a zip archive are named.
FORMATS_BY_SUFFIX = {".ann": ResultFormat.BRAT, ".xmi": ResultFormat.XMI}
XMI_ROOT_NAME, PSI_MI_ROOT_NAME = b"XMI", b"entrySet"
# The roots of formats that may have a namespace prefix.
NAMESPACED_ROOTS = {XMI_ROOT_NAME: ResultFormat.XMI, PSI_MI_ROOT_NAME: ResultFormat.PSI_MI_XML}
XML_ROOT = re.compile(rb"<([A-Za-z_][^\s/>]*)")
XML_NON_ELEMENTS = re.compile(rb"<!--.*?(-->|\Z)|<\?.*?(\?>|\Z)|<!DOCTYPE[^>\[]*(\[[^\]]*\]\s*)?(>|\Z)", re.DOTALL)
# The first key decides: PubAnnotation has the text in the document itself, BioC has it in passages.
FIRST_JSON_KEY = re.compile(
    rb'"(?:(text|target|sourcedb|sourceid|denotations|tracks|project)'
    rb'|source|date|key|documents|passages|bioctype|pmid|pmcid|PubTator3)"\s*:'
)
# Complete lines of these formats, without white space at their ends. Tab-separated passages have a rank, a confidence
# or a class where PubTator has a type.
PUBTATOR_LINE = re.compile(
    r"[^|\t]+\|[ta]\|.*"
    r"|[^\t|]+\t\d+\t\d+\t[^\t]*\t(?!(?:[+-]?[\d.]+(?:e[+-]?\d+)?|[tfyn+-]|true|false)(?:\t|$))[^\t]+(?:\t.*)?",
    re.IGNORECASE,
)
GENE_EVAL_LINE = re.compile(r"[^|\t]+\|\d+ \d+(\|.*)?")
TREC_RUN_LINE = re.compile(r"\S+\s+Q0\s+\S+\s+[+-]?\d+\s+\S+\s+\S+", re.IGNORECASE)
TREC_QRELS_LINE = re.compile(r"\S+\s+(?:0|Q0)\s+\S+\s+-?\d+", re.IGNORECASE)
# A line of column names, or one of at least ten columns that begins with the identifiers of two interactors.
MITAB_LINE = re.compile(
    r"(?:#|(?:unique )?ID)[^\t]*(?:\t[^\t]*){9,}|[^\t:]+:[^\t]+\t(?:-|[^\t:]+:[^\t]+)(?:\t[^\t]*){8,}", re.IGNORECASE
)
LINE_FORMAT_PATTERNS = (
    (ResultFormat.MITAB, MITAB_LINE),
    (ResultFormat.PUBTATOR, PUBTATOR_LINE),
    (ResultFormat.GENE_EVAL, GENE_EVAL_LINE),
    (ResultFormat.TREC_RUN, TREC_RUN_LINE),
    (ResultFormat.TREC_QRELS, TREC_QRELS_LINE),
)


def check_result_file_is_text_or_archive(stream: BinaryIO, source: str) -> None:
    """Raise RefusedFileError (R629) if a seekable stream, which is rewound, is neither text nor an archive of a format.

    Archives of brat standoff and of UIMA XMI can be read.
    """
    stream.seek(0)
    head = stream.read(SNIFFED_BYTES)
    stream.seek(0)
    if head.startswith(ZIP_SIGNATURE):
        if sniff_archive_format_or_none(stream) is not None:
            return
        message = "the archive has neither .ann files of brat nor .xmi files - unpack it and use the file inside"
    elif is_parquet(head):
        message = "the file is Parquet, which is not read for this task - write it in another format"
    elif head.startswith(PACKED_SIGNATURES):
        message = "the file is compressed - decompress it and use the file inside"
    elif head.startswith(UTF_16_MARKS):
        message = "the file is UTF-16 - save it as UTF-8 text"
    elif b"\0" in head:
        message = "the file contains zero bytes, so it is not text - choose another file"
    else:
        return
    raise RefusedFileError([FormatError(source, 0, 0, "R629", message)])


def sniff_result_format_else_tsv(stream: BinaryIO) -> ResultFormat:
    """The format of a seekable stream, which is rewound; tab-separated values if no other format matches."""
    stream.seek(0)
    head = stream.read(SNIFFED_BYTES).removeprefix(BYTE_ORDER_MARK).lstrip()
    stream.seek(0)
    if archive_format := sniff_archive_format_or_none(stream):
        return archive_format
    if is_parquet(head):
        return ResultFormat.PARQUET
    if head.startswith(b"<"):
        root = XML_ROOT.search(XML_NON_ELEMENTS.sub(b"", head))
        if root and (namespaced := NAMESPACED_ROOTS.get(root[1].rpartition(b":")[2])):
            return namespaced
        return ResultFormat.BIOC_XML if root and root[1] in (b"collection", b"document") else ResultFormat.BC2_XML
    if b'"@context"' in head and WEB_ANNOTATION_CONTEXT.match(head):
        return ResultFormat.WEB_ANNOTATION
    if is_web_annotation_turtle(head):
        return ResultFormat.WEB_ANNOTATION_TURTLE
    if head.startswith((b"{", b"[")):
        if _is_ndjson(head):
            return ResultFormat.NDJSON
        first_key = FIRST_JSON_KEY.search(head)
        return ResultFormat.PUBANNOTATION if first_key and first_key[1] else ResultFormat.BIOC_JSON
    return _sniff_line_format(split_complete_nonblank_lines(head))


def is_parquet(head: bytes) -> bool:
    """Whether a file that begins like this is Parquet; an article PAR1 of tab-separated values is followed by a tab."""
    return head.startswith(PARQUET_SIGNATURE) and not head.startswith(PARQUET_SIGNATURE + b"\t")


def _is_ndjson(head: bytes) -> bool:
    """Whether the first line is an article or an annotation as exports write it, or names an article."""
    if NDJSON_HEAD.match(head):
        return True
    try:
        members = json.loads(head.split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(members, dict) and ("article" in members or {"id", "results"} <= members.keys())


def is_web_annotation_turtle(head: bytes) -> bool:
    """Whether a file that begins like this is a page of Web Annotations in Turtle."""
    return b"http://www.w3.org/ns/oa#" in head and TURTLE_HEAD.match(head) is not None


def sniff_archive_format_or_none(stream: BinaryIO) -> ResultFormat | None:
    """The format of the files in a zip archive by their names; None for other archives and files.

    The stream is seekable and is rewound.
    """
    stream.seek(0)
    is_archive = stream.read(len(ZIP_SIGNATURE)) == ZIP_SIGNATURE
    stream.seek(0)
    for name in (list_zip_names_or_none(stream) or ()) if is_archive else ():
        if archive_format := FORMATS_BY_SUFFIX.get(PurePosixPath(name).suffix):
            return archive_format
    return None


def split_complete_nonblank_lines(file_head: bytes) -> list[str]:
    """The nonblank lines of the start of a file, without the last one if it may be cut off; an only line is kept."""
    lines = file_head.decode("utf-8", "replace").split("\n")
    complete = lines[:-1] if len(file_head) >= SNIFFED_BYTES - len(BYTE_ORDER_MARK) and len(lines) > 1 else lines
    return [line.strip() for line in complete if line.strip()]


def _sniff_line_format(lines: Sequence[str]) -> ResultFormat:
    """The format of the first line if most lines match it, so a few faulty lines do not change the result.

    For PubTator and gene mentions a first line with bars is enough, because no other format has such lines.
    """
    for result_format, pattern in LINE_FORMAT_PATTERNS:
        if lines and pattern.fullmatch(lines[0]):
            barred = (
                "|" in lines[0]
                and "\t" not in lines[0]
                and result_format in (ResultFormat.PUBTATOR, ResultFormat.GENE_EVAL)
            )
            if barred or 2 * sum(map(bool, map(pattern.fullmatch, lines))) > len(lines):
                return result_format
    return ResultFormat.TSV
