"""Searches that PostgreSQL's parser of queries was not made for: an answer, never an error."""

from random import Random

import pytest

from annotations.articles.models import Article
from annotations.search.article_search import SearchCriteria, build_order_expression, filter_articles
from annotations.search.queries import add_highlighted_titles

pytestmark = pytest.mark.django_db

PARTS = [
    "-",
    "-",
    "- ",
    "--",
    '"',
    "(",
    ")",
    "!",
    "&",
    "|",
    ":",
    ":*",
    "'",
    "\\",
    "<->",
    "<2>",
    " or ",
    " and ",
    "a",
    "β",
    "é ",
    "_",
    "\t",
    "\u2212",
    "\ufffd",
    "*",
]


def list_hostile_searches():
    drawn = Random(13)
    yield from ("-" * 33, "- " * 250, "-(" * 250, '-"' * 250, "a-" * 250, '"a"' + "-" * 400 + "b", "!" * 500, "(" * 500)
    for _ in range(300):
        alphabet = drawn.sample(PARTS, drawn.randint(1, 5))
        yield "".join(drawn.choice(alphabet) for _ in range(120))[:500]


@pytest.fixture
def articles():
    passages = [{"type": "title", "text": "E-cadherin binds beta-catenin"}]
    text = passages[0]["text"]
    Article.objects.create(pmid=1, passages=passages, text=text, content_hash="0" * 64, journal="J - Cell")
    return Article.objects.all()


def test_it_answers_every_text(articles):
    for text in list_hostile_searches():
        for criteria in (SearchCriteria(words=text), SearchCriteria(journal=text)):
            found = filter_articles(articles, criteria)
            if criteria.words.strip():
                found = add_highlighted_titles(found.order_by(build_order_expression(criteria)), criteria.words)
            list(found)


def find(articles, **criteria):
    return [article.pmid for article in filter_articles(articles, SearchCriteria(**criteria))]


def test_it_reads_several_hyphens_as_one(articles):
    assert find(articles, words="E--cadherin") == find(articles, words="E-cadherin") == [1]
    assert find(articles, words="catenin -cadherin") == find(articles, words="catenin --cadherin") == []
    assert find(articles, journal="cell") == [1]
