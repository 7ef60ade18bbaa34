"""Articles with their annotations, corpora, and the formats of files."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundArticle:
    """id is the PMID, or an opaque id for an article without one."""

    id: str
    title: str
    pmid: int | None = None
    doi: str = ""
    pmcid: str = ""
    journal: str = ""
    year: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    type: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Article(FoundArticle):
    """text is that of the passages; positions of annotations count its code points."""

    authors: tuple[str, ...]
    older_texts: tuple[int, ...]
    passages: tuple[Passage, ...]
    text: str
    text_version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The annotations of one kind by one producer, as the API describes them; duration in seconds."""

    id: int
    kind: str
    server: str
    mode: str
    producer: Mapping[str, Any]
    stated_version: str
    received: datetime
    duration: float | None
    empty_reason: str
    annotations: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleAnnotations:
    id: str
    text_version: int
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindConsensus:
    """What servers agree on, as the API describes it: each annotation names its `servers` and their `support`.

    servers: all that annotated this kind.
    """

    kind: str
    servers: tuple[str, ...]
    annotations: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus:
    id: str
    text_version: int
    method: str
    results: tuple[KindConsensus, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedServer:
    """A server of an article: whether its answer is awaited, words for its state, the time of the next try."""

    server: str
    mode: str
    awaited: bool
    words: str
    age: float | None
    due: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    slug: str
    name: str
    number_of_articles: int
    description: str = ""
    blind: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusDetail(Corpus):
    """articles: their ids."""

    articles: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """carries and lost: the fields of annotations that the format keeps and loses."""

    slug: str
    name: str
    media_type: str
    carries: tuple[str, ...]
    lost: tuple[str, ...]
    loses: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DigitalAbstractFormat:
    slug: str
    name: str
    media_type: str
    note: str
