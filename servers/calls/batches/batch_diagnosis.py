"""Explain to the server's team what is wrong with an answer to a request with several articles.

The codes are stable.
"""

from collections.abc import Sequence

from bcms.lib.text import clip_text_replacing_unprintable
from servers.calls.errors import CallError, Diagnosis, Stage

NAME_EACH_ARTICLE = (
    "Answer every article of the request, also without annotations, and name each by the id with which it was sent."
)
MOST_NAMED_ARTICLES = 5


def diagnose_answer_without_array() -> CallError:
    """The error for an answer to several articles that is not an array."""
    happened = "Several articles were sent in one request, but the answer is not an array."
    advice = (
        "Answer with an array that has one answer for each article, each with its id, or set the articles in one "
        "request on the server's page to 1."
    )
    return CallError(Diagnosis(Stage.COMMUNICATION, "no-array", happened, advice))


def diagnose_no_article_of_batch(article_count: int, other_articles: Sequence[str]) -> CallError:
    """The error for an answer to several articles that is about none of them."""
    others = _format_others(other_articles)
    happened = f"The answer has no part for any of the {article_count} articles of the request{others}."
    return CallError(Diagnosis(Stage.COMMUNICATION, "wrong-articles", happened, NAME_EACH_ARTICLE))


def diagnose_missing_article(requested: str, other_articles: Sequence[str]) -> CallError:
    """The error for an article without an answer although others of its request have one.

    other_articles: articles in the answer that were not sent, "" for each part that names none.
    """
    requested = clip_text_replacing_unprintable(requested, 60)
    happened = f"The answer has no part for article {requested}{_format_others(other_articles)}."
    return CallError(Diagnosis(Stage.RESULT, "missing-article", happened, NAME_EACH_ARTICLE))


def _format_others(other_articles: Sequence[str]) -> str:
    """The parts of an answer that are about other articles, as the end of a sentence; "" without any."""
    if not other_articles:
        return ""
    names = ", ".join(name or "one without an id" for name in other_articles[:MOST_NAMED_ARTICLES])
    more = ", ..." if len(other_articles) > MOST_NAMED_ARTICLES else ""
    return f", but has parts for articles that were not sent: {names}{more}"


def diagnose_repeated_article(requested: str, answer_count: int) -> CallError:
    """The error for an article with several answers in one reply."""
    requested = clip_text_replacing_unprintable(requested, 60)
    happened = f"The answer has {answer_count} parts for article {requested}, so it is not clear which one is right."
    advice = "Answer each article of a request once, with all its annotations in one part."
    return CallError(Diagnosis(Stage.RESULT, "repeated-article", happened, advice))
