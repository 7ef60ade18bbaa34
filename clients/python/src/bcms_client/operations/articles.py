"""Articles, their annotations, corpora, and exports.

Filters are the parameters of the list of articles in the API, such as q="cadherin", corpus="example",
gene="uniprot:P12830", servers=2 or year_from=2020; all of them have to match. The server refuses a filter that it does
not have.
"""

from pathlib import Path

from bcms_client.address import build_path
from bcms_client.calls import Call, Download, ListCall, QueryValue, get
from bcms_client.reading import make_list_reader
from bcms_client.records.articles import (
    Article,
    ArticleAnnotations,
    AskedServer,
    Consensus,
    Corpus,
    CorpusDetail,
    ExportFormat,
    FoundArticle,
)


def list_articles(**filters: QueryValue) -> ListCall[FoundArticle]:
    """The articles that match all filters, and that you may see."""
    return ListCall("articles/", FoundArticle, filters)


def get_article(article: str, *, text: int | None = None) -> Call[Article]:
    """One article by its PMID or opaque id; text: an older version of it."""
    return get(build_path("articles", article), Article, {"text": text})


def get_annotations(
    article: str,
    *,
    kind: str | None = None,
    server: str | None = None,
    text: int | None = None,
    unreviewed: bool | None = None,
) -> Call[ArticleAnnotations]:
    """The current annotations of an article by producer and kind."""
    query = {"kind": kind, "server": server, "text": text, "unreviewed": unreviewed}
    return get(build_path("articles", article, "annotations"), ArticleAnnotations, query)


def get_consensus(
    article: str,
    *,
    method: str | None = None,
    threshold: float | None = None,
    servers: str | None = None,
    spans: str | None = None,
    match: str | None = None,
    kind: str | None = None,
    text: int | None = None,
    unreviewed: bool | None = None,
) -> Call[Consensus]:
    """What servers agree on in an article, and which; method: `union` for everything that any server found."""
    voting = {"method": method, "threshold": threshold, "servers": servers, "spans": spans, "match": match}
    query = {**voting, "kind": kind, "text": text, "unreviewed": unreviewed}
    return get(build_path("articles", article, "consensus"), Consensus, query)


def list_article_servers(article: str) -> Call[tuple[AskedServer, ...]]:
    """The servers that annotate an article or have been asked to, and whose answers are awaited."""
    return Call("GET", build_path("articles", article, "servers"), make_list_reader(AskedServer))


def call_article_servers(article: str) -> Call[tuple[AskedServer, ...]]:
    """Have an article annotated by all servers that have not annotated it yet. A second call changes nothing."""
    return Call("POST", build_path("articles", article, "servers"), make_list_reader(AskedServer), body={})


def list_corpora() -> ListCall[Corpus]:
    """The corpora that you may see."""
    return ListCall("corpora/", Corpus)


def get_corpus(slug: str) -> Call[CorpusDetail]:
    """One corpus with the ids of its articles."""
    return get(build_path("corpora", slug), CorpusDetail)


def list_export_formats() -> Call[tuple[ExportFormat, ...]]:
    """The formats of exports, with the fields that each keeps and loses."""
    return Call("GET", "export/", make_list_reader(ExportFormat))


def export_article(article: str, format: str, target: str | Path, *, server: str | None = None) -> Download:
    """Write one article with its public annotations to a file."""
    return Download(build_path("articles", article, "export", format), Path(target), {"server": server})


def export_articles(format: str, target: str | Path, /, **filters: QueryValue) -> Download:
    """Write all articles that match the filters, with their public annotations, to a file."""
    return Download(build_path("export", format), Path(target), filters)
