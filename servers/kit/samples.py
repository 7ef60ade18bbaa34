"""Sample articles to try a server on: short, invented, and with what goes wrong first in real ones.

Greek letters and characters outside the Basic Multilingual Plane tell bytes and UTF-16 units from characters, `<` and
`&` tell whether markup is escaped, and one article has no abstract.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bcms.lib.foreign import bounded


@dataclass(frozen=True, slots=True)
class Sample:
    """An article to send. pmid is None when it has none."""

    identifier: str
    title: str
    abstract: str
    pmid: int | None = None

    @property
    def text(self) -> str:
        """The canonical text, in which positions count."""
        return f"{self.title}\n{self.abstract}" if self.abstract else self.title


SAMPLES = (
    Sample(
        "90000001",
        "BRCA1 binds BARD1 in human cells",
        "We show by two hybrid and by coimmunoprecipitation that human BRCA1 (P38398) interacts with BARD1 (Q99728). "
        "The interaction of mouse Brca1 with p53 was weaker, and TP53 alone did not bind.",
        90000001,
    ),
    Sample(
        "90000002",
        "Effects of TNF-\u03b1 & NF-\u03baB on E-cadherin at <5 \u00b5M \U0001d6fc-tubulin",
        "BACKGROUND: \u03b2-catenin (CTNNB1) binds E-cadherin (CDH1). METHODS: HeLa cells; R&D Systems' antibodies; "
        'p<0.05. RESULTS: IL-1\u03b2 raised \u0394Np63\u03b1 "two-fold" in Saccharomyces cerevisiae.',
        90000002,
    ),
    Sample("90000003", "Cyclin-dependent kinase 2: an editorial without an abstract", "", 90000003),
)


class SampleError(ValueError):
    """The file of articles cannot be used: one sentence, with how to mend it."""


# What result files cannot name, and what no text may hold.
BREAKING = {
    "id": re.compile(r"[\s|\ud800-\udfff]"),
    "title": re.compile(r"[\t\r\n\ud800-\udfff]"),
    "abstract": re.compile(r"[\ud800-\udfff]"),
}
HOW = 'write one object a line, such as {"id": "7", "title": "...", "abstract": "...", "pmid": 7}'


def read_samples(lines: Iterable[str]) -> list[Sample]:
    """One JSON object a line: {"id", "title", "abstract", "pmid"}, the last two if there are any.

    An id of digits is also the PMID, unless "pmid" says otherwise (null: none). SampleError at the first fault.
    """
    samples = [sample_of(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    if not samples:
        raise SampleError(f"there is no article in it: {HOW}")
    for identifier, times in Counter(sample.identifier for sample in samples).items():
        if times > 1:
            raise SampleError(f"the id {bounded(identifier, 60)!r} stands there {times} times: give each its own")
    return samples


def sample_of(line: str, number: int) -> Sample:
    try:
        said = json.loads(line)
    except ValueError as error:
        raise SampleError(f"line {number} is not JSON ({error}): {HOW}") from error
    if not isinstance(said, dict):
        raise SampleError(f"line {number} is no object: {HOW}")
    identifier = words_of(said, "id", number)
    pmid = said.get("pmid", pmid_in(identifier))
    if pmid is not None and (not isinstance(pmid, int) or isinstance(pmid, bool) or not 0 < pmid < 2**31):
        raise SampleError(f'line {number}: "pmid" is no PMID: give a positive number without quotes, or leave it out')
    abstract = words_of(said, "abstract", number) if said.get("abstract") else ""
    return Sample(identifier, words_of(said, "title", number), abstract, pmid)


def pmid_in(identifier: str) -> int | None:
    return int(identifier) if identifier.isascii() and identifier.isdigit() and len(identifier) < 10 else None


def words_of(said: Mapping[str, object], name: str, number: int) -> str:
    """A text that must be there, in one line, so that result files can name it."""
    value = said.get(name)
    if isinstance(value, int) and name == "id" and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise SampleError(f'line {number} has no "{name}" that is a text: {HOW}')
    if found := BREAKING[name].search(value):
        raise SampleError(f'line {number}: "{name}" may not hold {found[0]!r}: leave it out')
    return value
