"""Full-text search queries for articles."""

import re
from functools import reduce
from operator import or_

from django.contrib.postgres.search import CombinedSearchQuery, SearchHeadline, SearchQuery
from django.db.models import QuerySet
from django.db.models.fields.json import KT

from annotations.articles.models import Article
from annotations.search.accents import strip_accents_of_longer_words
from annotations.search.greek import change_unexcluded_search_words, list_greek_spellings

# Marks around matches, which are removed before display. Private-use characters, so they do not occur in texts.
HIGHLIGHT_START, HIGHLIGHT_END = "\ue000", "\ue001"
# PostgreSQL takes each hyphen before a word for a negation of the next one and fails at 33 of them.
REPEATED_HYPHENS = re.compile(r'-(?:[^\w"]*-)+')


def build_web_search_query(words: str, config: str) -> SearchQuery:
    """The query for words in web search syntax; several hyphens in a row are read as one."""
    return SearchQuery(REPEATED_HYPHENS.sub("-", words), config=config, search_type="websearch")


def build_query_matching_spelling_variants(words: str) -> SearchQuery | CombinedSearchQuery:
    """The query for search words in web search syntax: all words, "a phrase", one or another, -without.

    Greek letters also match their names and the other way round, and words with accents also match without. A word
    without accents does not match one with accents, because texts are indexed as they are written.
    """
    spellings = list_greek_spellings(words)
    without_accents = [
        change_unexcluded_search_words(spelling, strip_accents_of_longer_words) for spelling in spellings
    ]
    alternatives = dict.fromkeys([*spellings, *without_accents])
    return reduce(or_, (build_web_search_query(each, "english") for each in alternatives))


def add_highlighted_titles(articles: QuerySet[Article], words: str) -> QuerySet[Article]:
    """Add `highlighted`, the title with HIGHLIGHT_START and HIGHLIGHT_END around each matching word."""
    return articles.annotate(
        highlighted=SearchHeadline(
            KT("passages__0__text"),
            build_query_matching_spelling_variants(words),
            config="english",
            start_sel=HIGHLIGHT_START,
            stop_sel=HIGHLIGHT_END,
            highlight_all=True,
        )
    )
