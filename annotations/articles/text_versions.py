"""Earlier texts of articles: a replaced text is kept if it has annotations.

Its annotations stay separate from those of the current text and can be shown in their own text.
"""

import json
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass

from django.db import connection

from annotations.articles.models import Article, OlderText

KEEP_ANNOTATED_TEXTS = """
INSERT INTO annotations_oldertext (article_id, text_version, passages)
SELECT article, version, passages
FROM unnest(%s::bigint[], %s::int[], %s::jsonb[]) AS replaced (article, version, passages)
WHERE EXISTS (SELECT FROM annotations_result WHERE article_id = article AND text_version = version)
ON CONFLICT (article_id, text_version) DO UPDATE SET unmoved = true
"""


@dataclass(frozen=True, slots=True)
class ArticleTextVersion:
    """One text of an article: the primary key of the article, its text version, and Article.passages as JSON."""

    article: int
    version: int
    passages: str


def build_in_memory_text_version(article: Article) -> ArticleTextVersion:
    """The text of the article object in memory, which need not be the current one in the database."""
    return ArticleTextVersion(article.pk, article.text_version, json.dumps(article.passages, ensure_ascii=False))


def store_older_texts_if_annotated(text_versions: Iterable[ArticleTextVersion]) -> None:
    """Store those of the texts that have annotations. The caller must hold the locks of the articles' rows.

    A Result on an older text that arrives later stores its text itself (annotations/results/storage.py).
    """
    rows = [(text.article, text.version, text.passages) for text in text_versions]
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        with connection.cursor() as cursor:
            cursor.execute(KEEP_ANNOTATED_TEXTS, columns)


def list_older_text_versions_newest_first(article: Article) -> list[int]:
    """The versions of the older texts that are kept for an article, newest first: 1 query."""
    return list(article.older_texts.order_by("-text_version").values_list("text_version", flat=True))


def get_unsaved_copy_with_older_text(article: Article, text_version: int) -> Article:
    """A copy of the article with an older text, which must not be saved: 1 query.

    Raises OlderText.DoesNotExist if that text is not kept.
    """
    older = OlderText.objects.get(article=article, text_version=text_version)
    copied = copy(article)
    copied.passages, copied.text_version = older.passages, text_version
    copied.text = "\n".join(passage["text"] for passage in older.passages)
    return copied
