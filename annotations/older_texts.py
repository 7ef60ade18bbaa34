"""The texts that articles had: each is kept when another takes its place, if somebody has annotated it.

What was said of it stays apart from what is said of the present text, and can be shown where it was said.
"""

import json
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass

from django.db import connection

from annotations.models import Article, OlderText

KEEP = """
INSERT INTO annotations_oldertext (article_id, text_version, passages)
SELECT article, version, passages FROM unnest(%s::bigint[], %s::int[], %s::jsonb[]) AS was (article, version, passages)
WHERE EXISTS (SELECT FROM annotations_result WHERE article_id = article AND text_version = version)
ON CONFLICT DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class Text:
    """A text of an article, by its key; passages are as Article.passages, in JSON."""

    article: int
    version: int
    passages: str


def text_of(article: Article) -> Text:
    """The text that the article has in memory, which need not be its present one."""
    return Text(article.pk, article.text_version, json.dumps(article.passages, ensure_ascii=False))


def keep(texts: Iterable[Text]) -> None:
    """Keep those of the texts of which something was said; for whoever holds the rows of the articles.

    A Result on an older text that comes later brings its text along (annotations/storing.py).
    """
    own: Sequence[Text] = list(texts)
    if own:
        columns = ([text.article for text in own], [text.version for text in own], [text.passages for text in own])
        with connection.cursor() as cursor:
            cursor.execute(KEEP, columns)


def kept_versions(article: Article) -> list[int]:
    """Which of its older texts are kept, the newest first: 1 query."""
    return list(article.older_texts.order_by("-text_version").values_list("text_version", flat=True))


def with_older_text(article: Article, version: int) -> Article:
    """The article as it was with that text, not to be saved: 1 query. OlderText.DoesNotExist when it is not kept."""
    older = OlderText.objects.get(article=article, text_version=version)
    was = copy(article)
    was.passages, was.text_version = older.passages, version
    was.text = "\n".join(passage["text"] for passage in older.passages)
    return was
