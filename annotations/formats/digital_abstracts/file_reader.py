"""Reads digital abstracts from a file of any format that has them whole: PSI-MITAB, PSI-MI XML, JSON as in REST."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

from annotations.digital_abstract_json import parse_abstract_json
from annotations.formats.annotated_text.mentions import LeftOut
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.formats.digital_abstracts.parsed_abstract import ParsedAbstract, Publication
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.mitab.reader import read_mitab
from annotations.formats.psi_mi_xml.reader import read_psi_mi_xml
from annotations.json_members import JsonMemberError

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# The members of a record. REST adds those of its article.
RECORD_MEMBERS = (
    *("interactions", "organisms", "organism_sources", "annotations", "contributors"),
    *("nothing_found", "state", "updated"),
)
# Escapes of NUL, and of one half of a surrogate pair without the other. A backslash before them may be escaped itself.
UNSTORABLE = re.compile(
    r"(?<!\\)(?:\\\\)*(\\u0000"
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)
ENCODING_RULE, JSON_RULE, MEMBER_RULE = "R651", "R666", "R667"


@dataclass(frozen=True, slots=True)
class AbstractFile:
    """What a file has. format: its name. left_out: what a digital abstract has no place for."""

    format: str
    abstracts: Sequence[ParsedAbstract]
    left_out: Sequence[LeftOut] = ()


def read_abstract_file(content: bytes, source: str) -> AbstractFile:
    """The digital abstracts of a file, which its first character tells apart; source: its name.

    RefusedFileError with the faults, by line and column.
    """
    start = content.removeprefix(BYTE_ORDER_MARK).lstrip()[:1]
    if start == b"<":
        parsed = read_psi_mi_xml(BytesIO(content), source)
        return AbstractFile("PSI-MI XML", parsed.abstracts, parsed.left_out)
    if start == b"{":
        return AbstractFile("JSON", [_read_json_record(content, source)])
    return AbstractFile("PSI-MITAB", read_mitab(BytesIO(content), source))


def _read_json_record(content: bytes, source: str) -> ParsedAbstract:
    try:
        text = _decode_json(content.removeprefix(BYTE_ORDER_MARK))
        value = json.loads(text)
        record = {name: value[name] for name in RECORD_MEMBERS if name in value}
        abstract = parse_abstract_json(record)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise _refuse(source, line, column, ENCODING_RULE, "this byte is not UTF-8 - save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        problem = f"this is not JSON: {error.msg} - check the file"
        raise _refuse(source, error.lineno, error.colno, JSON_RULE, problem) from None
    except RecursionError:
        problem = "the JSON is nested too deeply - check that it is a digital abstract"
        raise _refuse(source, 0, 0, JSON_RULE, problem) from None
    except JsonMemberError as error:
        raise _refuse(source, 0, 0, MEMBER_RULE, f"{error} - write it as in REST") from None
    except ValueError:
        # What else json.loads raises.
        problem = "the JSON has a number of thousands of digits - check that it is a digital abstract"
        raise _refuse(source, 0, 0, JSON_RULE, problem) from None
    _check_storable(text, source)
    return ParsedAbstract(_read_publication(value), abstract, (0,) * len(abstract.interactions))


def _decode_json(content: bytes) -> str:
    """JSON is in UTF-8, UTF-16 or UTF-32, which its first bytes tell apart."""
    return content.decode(json.detect_encoding(content))


def _check_storable(text: str, source: str) -> None:
    """RefusedFileError if a string of the JSON has a character that no database stores."""
    if match := UNSTORABLE.search(text):
        line, column = text.count("\n", 0, match.start(1)) + 1, match.start(1) - text.rfind("\n", 0, match.start(1))
        problem = f"{match[1]} is no character that can be stored - remove it"
        raise _refuse(source, line, column, JSON_RULE, problem)


def _refuse(source: str, line: int, column: int, rule: str, message: str) -> RefusedFileError:
    return RefusedFileError([FormatError(source, line, column, rule, message)])


def _read_publication(value: Mapping[str, object]) -> Publication:
    """The article of a record as REST gives it; no identifiers if it has none."""
    pmid, pmcid, doi = (value.get(name) for name in ("pmid", "pmcid", "doi"))
    return Publication(
        ArticleIds(
            pmid if isinstance(pmid, int) else None,
            pmcid if isinstance(pmcid, str) else "",
            doi if isinstance(doi, str) else "",
        )
    )
