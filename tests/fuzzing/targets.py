"""What reads bytes from outside: files, answers of servers and calls of clients, each with good ones to begin with.

A target is `check(content)`: it returns if the content was read, or refused as its documentation says, and raises
whatever else the code under test raises.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.digital_abstracts.file_reader import read_abstract_file
from annotations.formats.docx.reader import read_docx
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.psi_mi_xml.vocabulary import PsiMiVersion
from annotations.formats.psi_mi_xml.writer import write_psi_mi_xml
from annotations.formats.tsv.result_reader import RUN_RULES
from annotations.identifiers.tables.recognition import OTHER_TABLES, TABLES
from annotations.schema import Kind
from bcms.lib.json_input import JsonInputError, parse_bounded_json
from bcms.lib.pictures.page_picture import PictureError
from bcms.lib.pictures.reader import FORMATS, check_page_picture, read_picture
from evaluation.runs.files.mention_reader import read_gene_mention_file
from servers.protocols.xmlrpc_messages import XmlRpcError, XmlRpcFault, parse_bounded_xmlrpc_message
from tests.digital_abstract_samples import export
from tests.drawn_pictures import draw, save
from tests.unit.annotations.formats.articles.test_hostile_articles import GOOD, TEXT_FORMATS, check_read_or_refused
from tests.unit.annotations.formats.digital_abstracts.test_hostile_abstract_files import make_json, make_line
from tests.unit.annotations.formats.test_hostile_runs import (
    ANSWERS,
    BC2,
    CALLBACKS,
    LINES,
    MAPS,
    OTHERS,
    check_answer_understood_or_explained,
    check_bc2_mended_or_refused,
    check_callback_understood_or_explained,
    check_gold_taken_or_refused,
    check_run_taken_or_refused,
    check_taken_or_refused,
)
from tests.unit.annotations.identifiers.test_hostile_tables import LINES as LINES_OF_TABLES
from tests.unit.annotations.identifiers.test_hostile_tables import check_table_read_or_refused


class Target(NamedTuple):
    """What to call, and contents that it reads."""

    check: Callable[[bytes], None]
    seeds: tuple[bytes, ...]


def check_abstracts_read_or_refused(content: bytes) -> None:
    try:
        for parsed in read_abstract_file(content, "mine").abstracts:
            assert parsed.abstract
    except RefusedFileError as error:
        assert error.faults


def check_word_document_read_or_refused(content: bytes) -> None:
    with suppress(FormatError):
        read_docx(content, "mine")


def check_picture_read_or_refused(content: bytes) -> None:
    with suppress(PictureError):
        check_page_picture(read_picture(content).content)


def check_call_read_or_refused(body: bytes) -> None:
    try:
        message = parse_bounded_xmlrpc_message(body)
    except XmlRpcError as error:
        assert isinstance(error.kind, XmlRpcFault)
    else:
        assert message.method is None or isinstance(message.method, str)


def check_json_read_or_refused(body: bytes) -> None:
    with suppress(JsonInputError):
        parse_bounded_json(body)


PICTURES = (
    *(save(draw(), form) for form in FORMATS),
    save(draw().convert("CMYK"), "JPEG"),
    *(save(draw(), form, save_all=True, append_images=[draw(color="navy")]) for form in ("PNG", "WEBP", "GIF")),
)
PSI_MI_XML = tuple("".join(write_psi_mi_xml([export()], version)).encode() for version in PsiMiVersion)
CALL = (
    b"<?xml version='1.0'?><methodCall><methodName>get_article</methodName><params><param><value><struct><member><name>"
    b"a</name><value><array><data><value><int>1</int></value><value><double>0.5</double></value><value>x</value></data>"
    b"</array></value></member></struct></value></param></params></methodCall>"
)
TABLE_LINES = "\n".join(LINES_OF_TABLES).encode()
TASKS = ("ipt", "imt", "iss")
JSON = b'{"a": [1, -0.5e3, true, null, "\\ud83d\\ude00 \\u00e9"], "b": {"c": {"d": []}}}'
TARGETS = {
    **{f"article {form}": Target(partial(check_read_or_refused, form=form), (GOOD[form],)) for form in TEXT_FORMATS},
    "article of any format": Target(partial(check_read_or_refused, form=None), tuple(GOOD.values())),
    "article docx": Target(check_word_document_read_or_refused, (GOOD[ArticleFormat.DOCX],)),
    **{
        f"run {kind} by rules of {rules}": Target(
            partial(check_run_taken_or_refused, kind=kind, rules=rules), (lines, *OTHERS.values())
        )
        for kind, lines in LINES.items()
        for rules in RUN_RULES
    },
    **{
        f"gold {kind}": Target(partial(check_gold_taken_or_refused, kind=kind), (lines, *OTHERS.values()))
        for kind, lines in LINES.items()
        if kind != Kind.PASSAGE
    },
    **{
        f"bc2 {task}": Target(partial(check_bc2_mended_or_refused, task=task), (BC2,)) for task in ("ipt", "imt", "iss")
    },
    **{
        f"genes of a {role}": Target(
            lambda content, role=role: check_taken_or_refused(read_gene_mention_file, content, "mine", role),
            (OTHERS["genes"],),
        )
        for role in ("run", "gold")
    },
    **{
        f"map {read.__name__}": Target(
            lambda content, read=read: check_taken_or_refused(read, content, "mine"), (MAPS[read],)
        )
        for read in MAPS
    },
    **{
        f"answer {protocol}": Target(partial(check_answer_understood_or_explained, protocol=protocol), (body,))
        for protocol, body in ANSWERS.items()
    },
    **{
        f"call-back {form}": Target(partial(check_callback_understood_or_explained, form=form), (body,))
        for form, body in CALLBACKS.items()
    },
    "picture": Target(check_picture_read_or_refused, PICTURES),
    "digital abstracts": Target(
        check_abstracts_read_or_refused, (make_line().encode(), make_json("a").encode(), *PSI_MI_XML)
    ),
    **{
        f"identifiers {table.title}": Target(partial(check_table_read_or_refused, table=table), (TABLE_LINES,))
        for table in (*TABLES, *OTHER_TABLES)
    },
    "xml-rpc call": Target(check_call_read_or_refused, (CALL,)),
    "json": Target(check_json_read_or_refused, (JSON,)),
}
