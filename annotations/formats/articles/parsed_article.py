"""An article as read from a file of any format, and the limits that every article must satisfy."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from annotations.formats.annotated_text.mentions import (
    InteractionPair,
    LeftOut,
    TextEntity,
    TextLabel,
    TextMention,
    TextRelation,
)
from annotations.formats.errors import FormatError, replace_unprintable
from annotations.schema import Kind

EMPTY_ARTICLE = "R447"
TOO_LARGE = "R448"
INVALID_CHARACTER = "R449"
# A hundred pages have 400,000 characters.
MOST_CHARACTERS = 3_000_000
MOST_PASSAGES = 50_000
LONGEST_TYPE = 100
HEADING = "heading"
PMID = re.compile(r"(?:PMID:?\s*)?([1-9][0-9]{0,9})", re.IGNORECASE)
PMCID = re.compile(r"(PMC[1-9][0-9]{0,11})(?:\.[0-9]+)?", re.IGNORECASE)
DOI = re.compile(r"(?:doi:\s*|https?://(?:dx\.)?doi\.org/)?(10\.[0-9]{4,9}/[^\s<>\"']{1,200}?)[.,;]?", re.IGNORECASE)
# The page of an article at NCBI: https://pubmed.ncbi.nlm.nih.gov/16054130/
NCBI_PAGE = re.compile(
    r"https?://(?:(?:www|pubmed|pmc)\.)?ncbi\.nlm\.nih\.gov/(?:pubmed/|pmc/)?(?:articles/)?([^/?#\s]+)(?:[/?#]\S*)?",
    re.IGNORECASE,
)
# Characters that PostgreSQL or UTF-8 cannot store.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ArticleIds:
    """The public identifiers of an article; empty or None where it has none.

    PMCIDs and DOIs are written as PMC3463565 and 10.1371/journal.pone.0046493.
    """

    pmid: int | None = None
    pmcid: str = ""
    doi: str = ""

    def __bool__(self) -> bool:
        return bool(self.pmid or self.pmcid or self.doi)


@dataclass(frozen=True, slots=True)
class TextPassage:
    """A part of a text; type is title, abstract, heading, table, figure or the name of the section."""

    type: str
    text: str


@dataclass(frozen=True, slots=True)
class ParsedArticle:
    """An article read from a file.

    passages: the title first, empty if the file has none; an abstract is one passage. source_id: the ID in the file if
    it is not a public identifier. Positions of mentions and in relations count code points of `text`. relevant: the
    class that the file gives, None without one. kinds: those that the file says the article was annotated with; empty
    if it does not say. document: the ID in a file of annotated text, whatever it is.
    """

    ids: ArticleIds
    passages: tuple[TextPassage, ...]
    journal: str = ""
    year: int | None = None
    volume: str = ""
    issue: str = ""
    pages: str = ""
    authors: tuple[str, ...] = ()
    source_id: str = ""
    mentions: tuple[TextMention, ...] = ()
    pairs: tuple[InteractionPair, ...] = ()
    relevant: bool | None = None
    relations: tuple[TextRelation, ...] = ()
    entities: tuple[TextEntity, ...] = ()
    labels: tuple[TextLabel, ...] = ()
    kinds: frozenset[Kind] = frozenset()
    left_out: tuple[LeftOut, ...] = ()
    document: str = field(default="", compare=False)

    @property
    def text(self) -> str:
        """The canonical text: passages joined by one newline."""
        return "\n".join(passage.text for passage in self.passages)

    def has_annotations(self) -> bool:
        """Whether the file says anything about the article besides its text and reference."""
        parts = (self.mentions, self.pairs, self.relations, self.entities, self.labels)
        return any(parts) or self.relevant is not None


@dataclass(frozen=True, slots=True)
class ArticleFileContent:
    """The articles of one file in its order; warnings: problems that do not make the file invalid."""

    articles: Sequence[ParsedArticle]
    warnings: Sequence[FormatError] = ()


def parse_article_id_or_empty(id_or_page_url: str) -> ArticleIds:
    """The identifier in a PMID, PMCID or DOI, alone or in the URL of the article's page; empty ArticleIds if none."""
    text = id_or_page_url.strip()
    if page := NCBI_PAGE.fullmatch(text):
        text = page[1]
    if match := PMID.fullmatch(text):
        return ArticleIds(pmid=int(match[1]))
    if match := PMCID.fullmatch(text):
        return ArticleIds(pmcid=match[1].upper())
    if match := DOI.fullmatch(text):
        return ArticleIds(doi=match[1])
    return ArticleIds()


def parse_article_ids_by_list_part(separated_ids: str) -> dict[str, ArticleIds]:
    """{part: its identifier, empty if it is none} for the parts of a list separated by spaces, commas or semicolons."""
    # A single identifier may contain a space: PMID: 16054130.
    parts = [separated_ids] if parse_article_id_or_empty(separated_ids) else re.split(r"[\s,;]+", separated_ids)
    return {part: parse_article_id_or_empty(part) for part in parts if part}


def prepend_empty_title_if_missing(passages: Sequence[TextPassage]) -> tuple[TextPassage, ...]:
    """The passages with a title first: an empty one is added if the first passage is not a title."""
    if passages and passages[0].type == "title":
        return tuple(passages)
    return (TextPassage("title", ""), *passages)


def check_article_size_and_characters(article: ParsedArticle, source: str) -> ParsedArticle:
    """The article, if it can be stored. FormatError: no text (R447), too large (R448), invalid characters (R449)."""
    if not any(passage.text.strip() for passage in article.passages):
        _raise_article_fault(
            source, EMPTY_ARTICLE, article, "has no text - check that you chose the right file and that it is complete"
        )
    size = sum(len(passage.text) for passage in article.passages)
    if size > MOST_CHARACTERS or len(article.passages) > MOST_PASSAGES:
        problem = f"has {size:,} characters in {len(article.passages):,} passages"
        _raise_article_fault(
            source,
            TOO_LARGE,
            article,
            f"{problem} - split it: at most {MOST_CHARACTERS:,} and {MOST_PASSAGES:,} are allowed",
        )
    for passage in (*article.passages, *_list_metadata_passages(article)):
        if match := UNSTORABLE.search(passage.text):
            code = f"U+{ord(match[0]):04X}"
            problem = f"has the invalid character {code} at position {match.start()} of a passage ({passage.type})"
            _raise_article_fault(source, INVALID_CHARACTER, article, f"{problem} - remove it from the file")
    return article


def _list_metadata_passages(article: ParsedArticle) -> list[TextPassage]:
    """The other stored texts as a passage, to be checked like the text."""
    fields = (article.journal, article.volume, article.issue, article.pages, *article.authors, article.source_id)
    return [TextPassage("metadata", "\n".join((*fields, *_iter_annotation_texts(article))))]


def _iter_annotation_texts(article: ParsedArticle) -> Iterator[str]:
    """Every text of the article's annotations."""
    for mention in article.mentions:
        yield from (mention.text, mention.type, mention.given, *map("".join, mention.exact))
    for entity in article.entities:
        yield from (entity.text, entity.type, entity.given, *map("".join, entity.exact))
    for relation in article.relations:
        yield from (relation.type, relation.text, *map("".join, relation.qualifiers))
        for argument in relation.arguments:
            yield from (argument.role, argument.text, argument.type, argument.given, *map("".join, argument.exact))
    for label in article.labels:
        yield from (label.name, label.value)


def _raise_article_fault(source: str, rule: str, article: ParsedArticle, message: str) -> None:
    ids = article.ids
    article_id = f"PMID {ids.pmid}" if ids.pmid else ids.pmcid or ids.doi or article.source_id[:80]
    shown = replace_unprintable(article_id)
    raise FormatError(source, 0, 0, rule, f"the article{' ' + shown if shown else ''} {message}")
