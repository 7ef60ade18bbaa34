"""Split the articles of a corpus file by a seed."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from annotations.articles.imports.article_storage import build_unsaved_article
from annotations.articles.imports.citation_storage import build_unsaved_article_of_citation
from annotations.articles.models import Article
from annotations.articles.snapshots import iter_identity_keys
from bcms.article_uploads.article_import import ParsedArticleFile

IdentityKey = tuple[str, object]


def split_articles(parsed: ParsedArticleFile, shares: Sequence[int], seed: int) -> list[ParsedArticleFile]:
    """A file for each share, which are percentages that add up to 100, with its articles in the order of the file.

    The same seed gives the same articles the same share, whatever their order in the file. Articles with an identifier
    or the whole text in common stay together, so a part can be a little larger than its share, or be empty.
    """
    groups = _group_same_articles(
        [*map(build_unsaved_article, parsed.articles), *map(build_unsaved_article_of_citation, parsed.citations)]
    )
    order = sorted(groups, key=lambda key: sha256(f"{seed} {key}".encode()).digest())
    ends = [round(sum(shares[: place + 1]) * len(order) / 100) for place in range(len(shares))]
    parts = [order[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    return [_keep_articles(parsed, {place for key in part for place in groups[key]}) for part in parts]


def _group_same_articles(articles: Sequence[Article]) -> dict[str, list[int]]:
    """{what is the same whatever the order of the articles: their places}, in almost linear time."""
    keys_by_place = [
        [*iter_identity_keys(article, article.content_hash), ("text", article.content_hash)] for article in articles
    ]
    parents: dict[IdentityKey, IdentityKey] = {}
    for first, *others in keys_by_place:
        root = _find_root(parents, first)
        for other in others:
            parents[_find_root(parents, other)] = root
    smallest: dict[IdentityKey, str] = {}
    for name, value in parents.copy():
        root, named = _find_root(parents, (name, value)), f"{name} {value}"
        smallest[root] = min(smallest.get(root, named), named)
    places: dict[str, list[int]] = {}
    for place, keys in enumerate(keys_by_place):
        places.setdefault(smallest[_find_root(parents, keys[0])], []).append(place)
    return places


def _find_root(parents: dict[IdentityKey, IdentityKey], key: IdentityKey) -> IdentityKey:
    """The key that stands for all that are the same, with path halving: its way is half as long the next time."""
    parents.setdefault(key, key)
    while parents[key] != key:
        parents[key] = key = parents[parents[key]]
    return key


def _keep_articles(parsed: ParsedArticleFile, places: set[int]) -> ParsedArticleFile:
    """A file has articles or citations, never both."""
    articles = [article for place, article in enumerate(parsed.articles) if place in places]
    citations = [citation for place, citation in enumerate(parsed.citations) if place in places]
    return replace(parsed, articles=articles, citations=citations)
