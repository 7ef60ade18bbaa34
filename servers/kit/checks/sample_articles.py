"""Sample articles for checking a server: short, invented, and with the usual pitfalls of real ones.

Greek letters and characters outside the Basic Multilingual Plane reveal offsets in bytes or UTF-16 units, `<` and `&`
reveal missing escaping, and one article has no abstract.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bcms.lib.text import clip_text_replacing_unprintable


@dataclass(frozen=True, slots=True)
class SampleArticle:
    """An article to send. pmid is None when it has none."""

    identifier: str
    title: str
    abstract: str
    pmid: int | None = None

    @property
    def text(self) -> str:
        """The canonical text, to which positions refer."""
        return f"{self.title}\n{self.abstract}" if self.abstract else self.title


SAMPLE_ARTICLES = (
    SampleArticle(
        "90000001",
        "BRCA1 binds BARD1 in human cells",
        "We show by two hybrid and by coimmunoprecipitation that human BRCA1 (P38398) interacts with BARD1 (Q99728). "
        "The interaction of mouse Brca1 with p53 was weaker, and TP53 alone did not bind.",
        90000001,
    ),
    SampleArticle(
        "90000002",
        "Effects of TNF-\u03b1 & NF-\u03baB on E-cadherin at <5 \u00b5M \U0001d6fc-tubulin",
        "BACKGROUND: \u03b2-catenin (CTNNB1) binds E-cadherin (CDH1). METHODS: HeLa cells; R&D Systems' antibodies; "
        'p<0.05. RESULTS: IL-1\u03b2 raised \u0394Np63\u03b1 "two-fold" in Saccharomyces cerevisiae.',
        90000002,
    ),
    SampleArticle("90000003", "Cyclin-dependent kinase 2: an editorial without an abstract", "", 90000003),
)


def find_other_sample(sample: SampleArticle) -> SampleArticle:
    """The built-in sample that is sent together with this article."""
    return next(each for each in SAMPLE_ARTICLES if each.identifier != sample.identifier)


class SampleError(ValueError):
    """An invalid file of articles: one sentence, with how to fix it."""


# Characters that result files cannot contain, and lone surrogates.
FORBIDDEN_CHARACTERS = {
    "id": re.compile(r"[\s|\ud800-\udfff]"),
    "title": re.compile(r"[\t\r\n\ud800-\udfff]"),
    "abstract": re.compile(r"[\ud800-\udfff]"),
}
FORMAT_HINT = 'write one object per line, such as {"id": "7", "title": "...", "abstract": "...", "pmid": 7}'


def parse_sample_articles_refusing_duplicate_ids(json_lines: Iterable[str]) -> list[SampleArticle]:
    """Articles from JSON lines {"id", "title", "abstract", "pmid"}; abstract and pmid are optional.

    An id of digits is also the PMID, unless "pmid" differs (null: none). Raises SampleError at the first error.
    """
    samples = [parse_sample_article(line, number) for number, line in enumerate(json_lines, 1) if line.strip()]
    if not samples:
        raise SampleError(f"it has no articles: {FORMAT_HINT}")
    for identifier, times in Counter(sample.identifier for sample in samples).items():
        if times > 1:
            raise SampleError(
                f"{times} articles have the id {clip_text_replacing_unprintable(identifier, 60)!r}: make the ids unique"
            )
    return samples


def parse_sample_article(json_line: str, line_number: int) -> SampleArticle:
    try:
        fields = json.loads(json_line)
    except ValueError as error:
        raise SampleError(f"line {line_number} is not JSON ({error}): {FORMAT_HINT}") from error
    if not isinstance(fields, dict):
        raise SampleError(f"line {line_number} is not a JSON object: {FORMAT_HINT}")
    identifier = get_required_sample_text(fields, "id", line_number)
    pmid = fields.get("pmid", find_pmid_of_numeric_identifier(identifier))
    if pmid is not None and (not isinstance(pmid, int) or isinstance(pmid, bool) or not 0 < pmid < 2**31):
        raise SampleError(
            f'line {line_number}: "pmid" is not a PMID: write a positive number without quotes, or omit it'
        )
    abstract = get_required_sample_text(fields, "abstract", line_number) if fields.get("abstract") else ""
    return SampleArticle(identifier, get_required_sample_text(fields, "title", line_number), abstract, pmid)


def find_pmid_of_numeric_identifier(identifier: str) -> int | None:
    return int(identifier) if identifier.isascii() and identifier.isdigit() and len(identifier) < 10 else None


def get_required_sample_text(fields: Mapping[str, object], field_name: str, line_number: int) -> str:
    """A required text without forbidden characters. Raises SampleError with the line number."""
    value = fields.get(field_name)
    if isinstance(value, int) and field_name == "id" and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise SampleError(f'line {line_number}: "{field_name}" is missing, empty or not a string: {FORMAT_HINT}')
    if match := FORBIDDEN_CHARACTERS[field_name].search(value):
        raise SampleError(f'line {line_number}: "{field_name}" contains {match[0]!r}, which is not allowed: remove it')
    return value
