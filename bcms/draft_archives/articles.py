"""The articles that an archive lists for a phase, as public articles of this site.

Archives have no texts, and only public articles are looked up: neither an article nor the answer that there is none
depends on what is blind here.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from annotations.articles.article_ids import MOST_ARTICLE_IDS
from annotations.articles.models import Article
from annotations.articles.queries import find_article_keys
from annotations.formats.errors import MAX_FAULTS_PER_RULE, FormatError, RefusedFileError, quote_file_text
from bcms.draft_archives.archive_reader import make_archive_fault, read_text_member, refuse_archive
from evaluation.archives.parts import ARTICLE_COLUMNS
from evaluation.archives.zip_reader import CheckedArchive

ARTICLE_RULE = "R764"
LONGEST_ARTICLE_NAME = 260


@dataclass(frozen=True, slots=True)
class ArticleLine:
    """A line of articles.tsv: its number, the name of the article in the archive, and its PMID, DOI and PMCID."""

    line: int
    name: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PhaseArticles:
    """public: {name in the archive: key of the public article here}, in the order of the corpus."""

    path: str
    public: Mapping[str, int]


def find_public_articles_of_phase(archive: CheckedArchive, phase_sort: str) -> PhaseArticles:
    """RefusedFileError with every article that is not public here, or that is there twice."""
    path = f"{phase_sort}/articles.tsv"
    listed = _parse_articles(read_text_member(archive, path), path)
    names = list(dict.fromkeys(name for each in listed for name in (*each.ids, each.name) if name))
    known = find_article_keys(names, Article.objects.filter(blind=False, takedown__isnull=True)) if names else {}
    public: dict[str, int] = {}
    first_names: dict[int, str] = {}
    faults: list[FormatError] = []
    for each in listed:
        keys = {known[name] for name in filter(None, each.ids) if name in known}
        if not any(each.ids) and each.name in known:
            keys.add(known[each.name])
        key = keys.pop() if keys else None
        if key is None:
            faults.append(_make_unknown_article_fault(path, each))
        elif keys:
            problem = f"the identifiers of {quote_file_text(each.name)} are those of two articles on this site"
            faults.append(FormatError(path, each.line, 1, ARTICLE_RULE, f"{problem} - correct the article there"))
        elif (first := first_names.setdefault(key, each.name)) != each.name:
            problem = f"{quote_file_text(each.name)} and {quote_file_text(first)} are the same article on this site"
            faults.append(FormatError(path, each.line, 1, ARTICLE_RULE, f"{problem} - leave one of them out"))
        else:
            public[each.name] = key
    if faults:
        raise RefusedFileError(faults[:MAX_FAULTS_PER_RULE])
    return PhaseArticles(path, public)


def _make_unknown_article_fault(path: str, article: ArticleLine) -> FormatError:
    if any(article.ids):
        message = (
            f"the article {quote_file_text(next(filter(None, article.ids)))} is not on this site - upload it first"
        )
    else:
        message = (
            f"the article {quote_file_text(article.name)} has no PMID, DOI or PMCID in the archive - publish the phase "
            "there, and create the archive again"
        )
    return FormatError(path, article.line, 1, ARTICLE_RULE, message)


def _parse_articles(text: str, path: str) -> list[ArticleLine]:
    head, *lines = text.split("\n")
    if tuple(head.split("\t")) != ARTICLE_COLUMNS:
        raise refuse_archive(path, "the list of articles has unknown columns")
    if lines and not lines[-1]:
        lines.pop()
    if len(lines) > MOST_ARTICLE_IDS:
        message = f"the phase has {len(lines):,} articles, more than {MOST_ARTICLE_IDS:,} - ask the administrator"
        raise RefusedFileError([FormatError(path, 0, 0, ARTICLE_RULE, message)])
    articles, names, faults = [], set[str](), list[FormatError]()
    for number, line in enumerate(lines, 2):
        name, *others = line.split("\t")
        if len(others) != len(ARTICLE_COLUMNS) - 1 or not _is_article_name(name):
            faults.append(make_archive_fault(path, "the line is not that of an article", number))
        elif not all(_is_article_name(each) for each in others[:-1] if each):
            faults.append(make_archive_fault(path, "an identifier of the article is not one", number))
        elif name in names:
            faults.append(make_archive_fault(path, f"the article {quote_file_text(name)} is there twice", number))
        else:
            articles.append(ArticleLine(number, name, tuple(others[:-1])))
            names.add(name)
    if faults:
        raise RefusedFileError(faults[:MAX_FAULTS_PER_RULE])
    return articles


def _is_article_name(name: str) -> bool:
    return bool(name) and len(name) <= LONGEST_ARTICLE_NAME and name.isprintable() and " " not in name
