"""Writes W3C Web Annotation in JSON-LD: one page of annotations, one on each line; annotations.py describes them.

Source: https://www.w3.org/TR/annotation-model/
"""

import json
from collections.abc import Iterable, Iterator

from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.web_annotation.annotations import (
    ANNOTATION_TERM,
    ARTICLE_TERM,
    DEFAULT_PAGE_URL,
    TERM_NAMESPACE,
    WEB_ANNOTATION_CONTEXT_URL,
    iter_web_annotations,
)

WEB_ANNOTATION_CONTEXT = [
    WEB_ANNOTATION_CONTEXT_URL,
    {term: {"@id": f"{TERM_NAMESPACE}{term}", "@type": "@json"} for term in (ANNOTATION_TERM, ARTICLE_TERM)},
]


def write_web_annotation(articles: Iterable[AnnotatedArticle], page_url: str = DEFAULT_PAGE_URL) -> Iterator[str]:
    """One page, whose id is its URL; ids of annotations are fragments of it."""
    head = {"@context": WEB_ANNOTATION_CONTEXT, "id": page_url, "type": "AnnotationPage", "startIndex": 0}
    yield f'{json.dumps(head)[:-1]}, "items": ['
    separator = "\n"
    for article in articles:
        lines = [json.dumps(each, ensure_ascii=False) for each in iter_web_annotations(article, page_url)]
        yield separator + ",\n".join(lines)
        separator = ",\n"
    yield "\n]}\n"
