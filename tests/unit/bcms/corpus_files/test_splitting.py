"""Articles of a corpus file are split by a seed."""

import pytest

from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle, TextPassage
from bcms.article_uploads.article_import import ParsedArticleFile
from bcms.corpus_files.splitting import split_articles


def make_article(pmid=None, text="", **ids):
    return ParsedArticle(ArticleIds(pmid, **ids), (TextPassage("title", text or f"Article {pmid}."),))


def split(articles, shares=(60, 20, 20), seed=1):
    parts = split_articles(ParsedArticleFile(ArticleFormat.PUBTATOR, 0, articles), shares, seed)
    return [[article.ids.pmid for article in part.articles] for part in parts]


ARTICLES = [make_article(number) for number in range(1, 51)]


def test_each_article_is_in_one_part_in_the_order_of_the_file():
    parts = split(ARTICLES)
    assert [len(part) for part in parts] == [30, 10, 10]
    assert sorted(number for part in parts for number in part) == list(range(1, 51))
    assert parts == [sorted(part) for part in parts]


def test_the_seed_decides_and_the_order_of_the_file_does_not():
    assert split(ARTICLES) == [sorted(part) for part in split(ARTICLES[::-1])]
    assert split(ARTICLES) != split(ARTICLES, seed=2)


def test_more_articles_hardly_change_the_parts_of_the_others():
    """They are in the order of their hashes, so that only those at the borders move."""
    training, more = set(split(ARTICLES)[0]), set(split([*ARTICLES, make_article(51), make_article(52)])[0])
    assert len(training - more) <= 2


@pytest.mark.parametrize(
    "same",
    [
        [make_article(60, "One."), make_article(60, "Another text.")],
        [make_article(60, "The same."), make_article(61, "The same.")],
        [make_article(60, doi="10.1000/A"), make_article(None, "Other.", doi="10.1000/a")],
        [make_article(60, "One."), make_article(61, "Two."), make_article(60, "Two.")],
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_articles_with_an_identifier_or_text_in_common_stay_together(same, seed):
    for articles in ([*same, *ARTICLES], [*same[1:], *ARTICLES, same[0]]):
        parts = split_articles(ParsedArticleFile(ArticleFormat.PUBTATOR, 0, articles), (50, 50), seed)
        assert sum(any(article in part.articles for article in same) for part in parts) == 1


@pytest.mark.parametrize("chain", [False, True])
def test_a_file_of_articles_that_are_all_the_same_is_split_at_once(chain):
    """One that took a time that grows with the square of their number would keep the scoring worker busy for hours."""
    names = [
        (number // 2, f"10.1000/{(number + 1) // 2}") if chain else (7, f"10.1000/{number}")
        for number in range(2, 10_002)
    ]
    articles = [make_article(pmid, f"Text of {pmid} and {doi}.", doi=doi) for pmid, doi in names]
    assert sorted(map(len, split(articles, (50, 50)))) == [0, 10_000]


def test_a_part_can_be_empty():
    assert split(ARTICLES[:1], (50, 50)) in ([[1], []], [[], [1]])


@pytest.mark.parametrize("shares", [(34, 33, 33), (1, 98, 1), (99, 1)])
@pytest.mark.parametrize("number", [3, 7, 50])
def test_no_article_is_lost_whatever_the_shares(shares, number):
    parts = split(ARTICLES[:number], shares)
    assert sorted(each for part in parts for each in part) == list(range(1, number + 1))
