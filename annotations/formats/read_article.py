"""An article as it was read from a file of any format, and what every one of them must fulfil."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotations.formats.errors import FormatError
from annotations.formats.mentions import InteractionPair, Mention
from annotations.formats.pubmed import Passage

EMPTY = "R447"
TOO_LARGE = "R448"
NO_CHARACTER = "R449"

# A hundred pages have 400,000 characters.
MOST_CHARACTERS = 3_000_000
MOST_PASSAGES = 50_000
LONGEST_TYPE = 100
HEADING = "heading"

PMID = re.compile(r"(?:PMID:?\s*)?([1-9][0-9]{0,9})", re.IGNORECASE)
PMCID = re.compile(r"(PMC[1-9][0-9]{0,11})(?:\.[0-9]+)?", re.IGNORECASE)
DOI = re.compile(r"(?:doi:\s*|https?://(?:dx\.)?doi\.org/)?(10\.[0-9]{4,9}/[^\s<>\"']{1,200}?)[.,;]?", re.IGNORECASE)
# The page of an article at NCBI: https://pubmed.ncbi.nlm.nih.gov/16054130/
PAGE = re.compile(
    r"https?://(?:(?:www|pubmed|pmc)\.)?ncbi\.nlm\.nih\.gov/(?:pubmed/|pmc/)?(?:articles/)?([^/?#\s]+)(?:[/?#]\S*)?",
    re.IGNORECASE,
)
# What no text of the database and no UTF-8 can hold.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Name:
    """How the world calls an article; empty or None where it has no such name. PMCIDs and DOIs are as one writes them
    in lists: PMC3463565, 10.1371/journal.pone.0046493."""

    pmid: int | None = None
    pmcid: str = ""
    doi: str = ""

    def __bool__(self) -> bool:
        return bool(self.pmid or self.pmcid or self.doi)


@dataclass(frozen=True, slots=True)
class ReadArticle:
    """passages: the title first, empty where the file has none; an abstract is one passage, and other passages are
    named by their section. source_id: what the file calls the article, when that is no name of the world.

    mentions count code points of `text`; relevant: what the file says of the article, None for nothing.
    """

    name: Name
    passages: tuple[Passage, ...]
    journal: str = ""
    year: int | None = None
    volume: str = ""
    issue: str = ""
    pages: str = ""
    authors: tuple[str, ...] = ()
    source_id: str = ""
    mentions: tuple[Mention, ...] = ()
    pairs: tuple[InteractionPair, ...] = ()
    relevant: bool | None = None

    @property
    def text(self) -> str:
        """The canonical text: passages joined by one newline."""
        return "\n".join(passage.text for passage in self.passages)


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The articles of one file in its order; warnings: what is odd there but does not refuse it; annotated: whether
    the format can say what is in an article."""

    articles: Sequence[ReadArticle]
    warnings: Sequence[FormatError] = ()
    annotated: bool = False


def name_of(written: str) -> Name:
    """What a PMID, PMCID or DOI says, alone or in the address of the article's page; no name where it is none."""
    text = written.strip()
    if page := PAGE.fullmatch(text):
        text = page[1]
    if found := PMID.fullmatch(text):
        return Name(pmid=int(found[1]))
    if found := PMCID.fullmatch(text):
        return Name(pmcid=found[1].upper())
    if found := DOI.fullmatch(text):
        return Name(doi=found[1])
    return Name()


def names_of(written: str) -> dict[str, Name]:
    """The names in a list with blanks, commas or semicolons between, by what is written; no name where it is none."""
    # One may be written with a blank: PMID: 16054130.
    parts = [written] if name_of(written) else re.split(r"[\s,;]+", written)
    return {part: name_of(part) for part in parts if part}


def with_title(blocks: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages with a title first: an empty one where none is at the head."""
    if blocks and blocks[0].type == "title":
        return tuple(blocks)
    return (Passage("title", ""), *blocks)


def checked(article: ReadArticle, source: str) -> ReadArticle:
    """The article, if it can be stored. FormatError: no text (R447), too much (R448), impossible characters (R449)."""
    if not any(passage.text.strip() for passage in article.passages):
        _refuse(source, EMPTY, article, "has no text - look whether the file is what you meant, and whole")
    size = sum(len(passage.text) for passage in article.passages)
    if size > MOST_CHARACTERS or len(article.passages) > MOST_PASSAGES:
        said = f"has {size:,} characters in {len(article.passages):,} passages"
        _refuse(source, TOO_LARGE, article, f"{said} - split it: {MOST_CHARACTERS:,} and {MOST_PASSAGES:,} are allowed")
    for passage in (*article.passages, *_metadata(article)):
        if found := UNSTORABLE.search(passage.text):
            code = f"U+{ord(found[0]):04X}"
            said = f"has {code}, which is no character of a text, at {found.start()} of a passage ({passage.type})"
            _refuse(source, NO_CHARACTER, article, f"{said} - remove it from the file")
    return article


def _metadata(article: ReadArticle) -> list[Passage]:
    """What is stored besides the text, to be looked through alike."""
    told = (article.journal, article.volume, article.issue, article.pages, *article.authors, article.source_id)
    said = (each for mention in article.mentions for each in (mention.text, mention.type))
    return [Passage("what is said of it", "\n".join((*told, *said)))]


def _refuse(source: str, rule: str, article: ReadArticle, message: str) -> None:
    name = article.name
    called = f"PMID {name.pmid}" if name.pmid else name.pmcid or name.doi or article.source_id[:80]
    shown = "".join(c if c.isprintable() else "\ufffd" for c in called)
    raise FormatError(source, 0, 0, rule, f"the article{' ' + shown if shown else ''} {message}")
