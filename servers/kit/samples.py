"""Sample articles to try a server on: short, invented, and with what goes wrong first in real ones.

Greek letters and characters outside the Basic Multilingual Plane tell bytes and UTF-16 units from characters, `<` and
`&` tell whether markup is escaped, and one article has no abstract.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass


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


def read_samples(lines: Iterable[str]) -> list[Sample]:
    """One JSON object a line: {"id", "title", "abstract", "pmid"}, the last two if there are any. SampleError else."""
    return [sample_of(line, number) for number, line in enumerate(lines, 1) if line.strip()]


def sample_of(line: str, number: int) -> Sample:
    try:
        said = json.loads(line)
        identifier, title = str(said["id"]), str(said["title"])
        pmid = said.get("pmid", int(identifier) if identifier.isdecimal() else None)
        return Sample(identifier, title, str(said.get("abstract") or ""), pmid)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        how = 'write one object a line, such as {"id": "7", "title": "...", "abstract": "..."}'
        raise SampleError(f"line {number} is no article ({error}): {how}") from error
