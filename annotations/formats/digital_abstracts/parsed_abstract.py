"""A structured digital abstract as read from a file of interactions, with what the file says about its article."""

from dataclasses import dataclass, field

from annotations.digital_abstract import DigitalAbstract
from annotations.formats.articles.parsed_article import ArticleIds


@dataclass(frozen=True, slots=True)
class Publication:
    """The article of interactions. source_id: what else identifies it in the file, "" if it has a public identifier."""

    ids: ArticleIds = field(default_factory=ArticleIds)
    source_id: str = ""
    title: str = ""

    @property
    def name(self) -> str:
        """The PMID, DOI, PMCID or other identifier: the first that there is."""
        ids = self.ids
        return str(ids.pmid or "") or ids.doi or ids.pmcid or self.source_id


@dataclass(frozen=True, slots=True)
class ParsedAbstract:
    """The digital abstract of one article in a file. lines: where each interaction begins in the file, from 1."""

    publication: Publication
    abstract: DigitalAbstract
    lines: tuple[int, ...]
