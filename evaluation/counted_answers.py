"""What producers say of the articles of a corpus, counted by who says it: all that a comparison of them is made of.

The database counts, so that a million annotations come as some hundred numbers. A set of voices is a number whose bit v
stands for voice v.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection

from annotations.kinds import Kind
from annotations.models import Corpus

# What Python's str.split() parts words at; PostgreSQL's \s knows fewer.
SPACES = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
PARTNERS = "annotation.database, least(identifier, partner), greatest(identifier, partner)"
# As Finding.key: what makes two findings the same.
KEYS = {
    Kind.MENTION: 'annotation.start, annotation."end"',
    Kind.PAIR: PARTNERS,
    Kind.PASSAGE: f"{PARTNERS}, btrim(regexp_replace(annotation.text, %(spaces)s, ' ', 'g'))",
}
KEY = "annotation.database, annotation.identifier"

# Voices of what is said now, and behind them of what was said the time before of the same text: superseded labels are
# slips that were mended, and another edition of a gold standard is no second answer.
VOICES = """
    WITH asked AS (SELECT * FROM unnest(%(producers)s::bigint[], %(voices)s::int[]) AS asked (producer, voice)),
    heard AS (
        SELECT result.id, result.producer_id AS producer, result.article_id AS article, result.superseded,
            result.text_version = article.text_version AS fits
        FROM annotations_result AS result
        JOIN annotations_corpusarticle AS member ON member.article_id = result.article_id
        JOIN annotations_article AS article ON article.id = result.article_id
        WHERE member.corpus_id = %(corpus)s AND result.kind = %(kind)s AND result.producer_id = ANY(%(producers)s)
    ),
    voice AS (
        SELECT asked.voice, heard.id, heard.article FROM heard JOIN asked USING (producer)
        WHERE heard.superseded IS NULL AND (heard.fits OR %(kind)s <> 'mention')
        UNION ALL (
            SELECT DISTINCT ON (asked.voice, heard.article) asked.voice + %(earlier)s, heard.id, heard.article
            FROM heard JOIN asked USING (producer) JOIN annotations_producer AS producer ON producer.id = heard.producer
            WHERE heard.superseded IS NOT NULL AND heard.fits AND asked.voice < %(earlier)s AND producer.sort <> 'gold'
            AND NOT EXISTS (SELECT FROM evaluation_labeller AS labeller WHERE labeller.producer_id = heard.producer)
            ORDER BY asked.voice, heard.article, heard.id DESC
        )
    ),
"""
ITEMS = """
    answers AS (SELECT article, bit_or(1::bigint << voice) AS answered FROM voice GROUP BY article),
    items AS (
        SELECT voice.article, bit_or(1::bigint << voice.voice) AS said
        FROM voice JOIN annotations_annotation AS annotation ON annotation.result_id = voice.id
        GROUP BY voice.article, {key}
    )
    SELECT answered, NULL::bigint, count(*) FROM answers GROUP BY answered
    UNION ALL
    SELECT answered, said, count(*) FROM items JOIN answers USING (article) GROUP BY answered, said
"""
# An answer without a class is none. Of a curator who labels here the second reading is what was said the time before.
CALLS = """
    calls AS (
        SELECT voice.voice, voice.article, annotation.relevant
        FROM voice JOIN annotations_annotation AS annotation ON annotation.result_id = voice.id
        UNION ALL
        SELECT asked.voice + %(earlier)s, label.article_id, label.relevant
        FROM evaluation_label AS label
        JOIN evaluation_labeller AS labeller ON labeller.id = label.labeller_id
        JOIN asked ON asked.producer = labeller.producer_id AND asked.voice < %(earlier)s
        JOIN annotations_corpusarticle AS member ON member.article_id = label.article_id
        WHERE member.corpus_id = %(corpus)s
        AND label.again AND label.superseded IS NULL AND label.relevant IS NOT NULL
    ),
    answers AS (
        SELECT bit_or(1::bigint << voice) AS answered,
            coalesce(bit_or(1::bigint << voice) FILTER (WHERE relevant), 0) AS said
        FROM calls GROUP BY article
    )
    SELECT answered, NULL::bigint, count(*) FROM answers GROUP BY answered
    UNION ALL
    SELECT answered, said, count(*) FROM answers GROUP BY answered, said
"""


@dataclass(frozen=True, slots=True)
class Counted:
    """articles: {voices that answered: number}; instances: {(voices that answered the article, voices that say it):
    number}, of items, or of articles by who calls them relevant."""

    articles: Mapping[int, int]
    instances: Mapping[tuple[int, int], int]

    def answered_by(self, voices: Sequence[int]) -> int:
        """How many articles all of these answered, with nothing too."""
        return sum(number for answered, number in self.articles.items() if all(answered >> v & 1 for v in voices))

    def heard(self, voice: int) -> bool:
        return any(answered >> voice & 1 for answered in self.articles)

    def labels(self, voices: Sequence[int]) -> Counter[tuple[bool, ...]]:
        """The instances of the articles that all of these answered, by which of them say so."""
        rows = Counter[tuple[bool, ...]]()
        for said, number in self._of_articles(voices):
            rows[tuple(bool(said >> v & 1) for v in voices)] += number
        return rows

    def items(self, voices: Sequence[int]) -> Counter[tuple[bool, ...]]:
        """The same of what any of these says."""
        rows = self.labels(voices)
        del rows[tuple(False for _ in voices)]
        return rows

    def _of_articles(self, voices: Sequence[int]) -> Iterator[tuple[int, int]]:
        for (answered, said), number in self.instances.items():
            if all(answered >> v & 1 for v in voices):
                yield said, number


def count_answers(corpus: Corpus, kind: Kind, producers: Sequence[int], gold: int | None = None) -> Counted:
    """Of n producers voice p is what the p-th says, voice n + p what it said the time before, where it was asked twice
    and of this text, and voice 2 n what gold says: one query."""
    voices = [*enumerate(producers), *([] if gold is None else [(2 * len(producers), gold)])]
    values = {
        "corpus": corpus.pk,
        "kind": kind.value,
        "producers": [producer for _, producer in voices],
        "voices": [voice for voice, _ in voices],
        "earlier": len(producers),
        "spaces": f"[{SPACES}]+",
    }
    counted = CALLS if kind == Kind.CLASSIFICATION else ITEMS.format(key=KEYS.get(kind, KEY))
    with connection.cursor() as cursor:
        cursor.execute(VOICES + counted, values)
        rows = cursor.fetchall()
    articles = {answered: number for answered, said, number in rows if said is None}
    return Counted(articles, {(answered, said): number for answered, said, number in rows if said is not None})
