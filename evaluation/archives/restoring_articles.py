"""The articles of an archive as they are here: found by their ids, or made with their ids alone."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from annotations.citation_storing import content_hash
from annotations.models import Article, Corpus, CorpusArticle
from annotations.pmids import LONGEST_PMID
from evaluation.archives import values
from evaluation.archives.documents import ARTICLE_COLUMNS
from evaluation.archives.unpacking import ANEW, ArchiveError, Unpacked
from evaluation.archives.values import row_of

OPAQUE = re.compile(r"B[0-9a-f]{16}")
AT_ONCE = 5000


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of articles.tsv: what the files call the article, and its other ids where they may be known."""

    name: str
    pmid: str
    doi: str
    pmcid: str


@dataclass(frozen=True, slots=True)
class Articles:
    """The articles of a phase in the order of its corpus, by what the archive calls them; made: the new ones."""

    by_name: Mapping[str, Article]
    made: Sequence[str]


def find_articles(archive: Unpacked, phase: str, *, blind: bool) -> Articles:
    """The articles that the archive lists. Those that are not here are made, without a text."""
    listed = list(lines_of(archive.read(f"{phase}/articles.tsv").decode()))
    here = {name: article for article in known(listed) for name in names_of(article)}
    found = {own.name: article for own in listed if (article := first(here, own)) is not None}
    made = {own.name: new_article(own) for own in listed if own.name not in found}
    Article.objects.bulk_create(made.values(), batch_size=AT_ONCE)
    return Articles({own.name: found.get(own.name) or made[own.name] for own in listed}, list(made))


def lines_of(text: str) -> Iterator[Listed]:
    head, *lines = text.splitlines()
    if tuple(head.split("\t")) != ARTICLE_COLUMNS:
        raise ArchiveError(f"The archive has a list of articles with other columns than this software knows: {ANEW}.")
    for line in lines:
        name, pmid, doi, pmcid, _ = line.split("\t")
        yield Listed(name, pmid, doi, pmcid)


def known(listed: Sequence[Listed]) -> Iterator[Article]:
    """Every article that has one of the ids."""
    ids: dict[str, list[Any]] = {
        "opaque": [own.name for own in listed],
        "doi": [name for own in listed for name in (own.doi, own.name) if name],
        "pmid": [int(name) for own in listed for name in {own.pmid, own.name} if is_pmid(name)],
    }
    for column, every in ids.items():
        for start in range(0, len(every), AT_ONCE):
            some = {f"{column}__in": every[start : start + AT_ONCE]}
            yield from Article.objects.filter(**some).only("pmid", "doi", "opaque", "text_version")


def is_pmid(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) <= LONGEST_PMID


def names_of(article: Article) -> Iterable[str]:
    return [name for name in (article.opaque, str(article.pmid or ""), article.doi) if name]


def first(here: Mapping[str, Article], own: Listed) -> Article | None:
    """By its PMID, its DOI or what the archive calls it, whichever is known first."""
    return next((here[name] for name in (own.pmid, own.doi, own.name) if name and name in here), None)


def new_article(own: Listed) -> Article:
    """An article of which nothing is known but its ids; an opaque id stays what it is."""
    pmid = next((int(name) for name in (own.pmid, own.name) if is_pmid(name)), None)
    nothing = {"passages": [], "text": "", "content_hash": content_hash([])}
    article = Article(pmid=pmid, doi=own.doi, pmcid=own.pmcid, **nothing)
    if OPAQUE.fullmatch(own.name):
        article.opaque = own.name
    elif not article.pmid and not article.doi:
        raise ArchiveError(f"The archive calls an article {own.name!r}, which is no PMID, DOI or opaque id: {ANEW}.")
    return article


def corpus_of(told: Mapping[str, Any], articles: Articles, slug: str) -> Corpus:
    """The corpus of that name if it has the very same articles, else a new one under the slug or one beside it.

    A blind corpus of another challenge stays that one's alone.
    """
    wanted = [article.pk for article in articles.by_name.values()]
    new = row_of(Corpus, told, values.CORPUS)
    anybodys = Q(blind=False) | Q(owner__isnull=True)
    here = Corpus.objects.filter(anybodys, slug=new.slug, blind=new.blind).first()
    if here is not None:
        rows = here.corpusarticle_set.order_by("position").values_list("article_id", flat=True)
        if list(rows) == wanted:
            return here
    new.slug = free_slug([new.slug, slug])
    new.save()
    CorpusArticle.objects.bulk_create(
        (CorpusArticle(corpus=new, article_id=pk, position=place) for place, pk in enumerate(wanted, 1)),
        batch_size=AT_ONCE,
    )
    return new


def free_slug(wished: Sequence[str]) -> str:
    """The first of the slugs that is free, else the last with a number."""
    every = [*wished, *(f"{wished[-1][:44]}-{number}" for number in range(2, 1000))]
    taken = set(Corpus.objects.filter(slug__in=every).values_list("slug", flat=True))
    return next(slug[:50] for slug in every if slug not in taken)
