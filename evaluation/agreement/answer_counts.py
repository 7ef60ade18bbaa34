"""Count how many articles producers answered and how many annotations they share, over the articles of a corpus.

The database counts, so that a million annotations become some hundred numbers, with two bytes for each item that say in
which block of articles it is. A block is an article, or several in a corpus of more than MAX_BLOCKS articles: articles
are numbered in the order of their ids, and every MAX_BLOCKS-th is in the same block.

A rater is a producer in one of its two rounds: its current answers, or those before. A set of raters is an integer
whose bit r stands for rater r.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connection

from annotations.articles.models import Corpus
from annotations.data_sets.models import DataSet
from annotations.entity_types import fold_type_spelling, get_type_key, normalize_entity_type
from annotations.schema import NEGATION_QUALIFIER, TRUE_QUALIFIER, Kind
from evaluation.agreement.answer_blocks import SetsByBlock, count_blocks, group_patterns_by_block
from evaluation.analyses.significance.agreement_intervals import MAX_BLOCKS, BlockPatterns
from evaluation.measures.scored_annotations import KINDS_OF_DATABASE_IDENTIFIERS

# The white space at which Python's str.split() splits; \s of PostgreSQL matches less.
PYTHON_WHITESPACE = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
SORTED_PAIR_SQL = "annotation.database, least(identifier, partner), greatest(identifier, partner)"
# RelationParts.build_argument_keys: role, sorted identifiers and, without identifiers, spans of each argument of a
# relation in annotation.detail (annotations/results/annotation_rows.py), in one order.
RELATION_ARGUMENTS_SQL = """ARRAY(
    SELECT jsonb_build_array(role, identifiers, CASE WHEN identifiers IS NULL THEN spans END)
    FROM (
        SELECT coalesce(argument->>'r', '') AS role, argument->'s' AS spans, position,
            (SELECT jsonb_agg(DISTINCT curie) FROM jsonb_array_elements_text(argument->'i') AS curie) AS identifiers
        FROM jsonb_array_elements(annotation.detail->'a') WITH ORDINALITY AS listed (argument, position)
    ) AS parts
    ORDER BY role, CASE WHEN annotation.detail->'d' IS NULL THEN identifiers END,
        CASE WHEN annotation.detail->'d' IS NULL THEN spans END, position
)"""
# The columns of AnnotationData.key: two annotations are the same if these are equal.
ITEM_KEY_SQL = {
    Kind.MENTION: 'annotation.start, annotation."end", annotation.spans',
    Kind.PAIR: SORTED_PAIR_SQL,
    Kind.PASSAGE: f"{SORTED_PAIR_SQL}, btrim(regexp_replace(annotation.text, %(spaces)s, ' ', 'g'))",
    Kind.RELATION: (
        f"annotation.type, annotation.detail->'d', {RELATION_ARGUMENTS_SQL}, "
        f"annotation.detail->'q'->>'{NEGATION_QUALIFIER}' IS NOT DISTINCT FROM '{TRUE_QUALIFIER}'"
    ),
    Kind.LABEL: "annotation.type, annotation.text",
}
DEFAULT_ITEM_KEY_SQL = "annotation.database, annotation.identifier"
# As evaluation/measures/scored_annotations.py: what a comparison with a gold standard counts.
SCORED_SQL = dict.fromkeys(
    KINDS_OF_DATABASE_IDENTIFIERS, "annotation.database IN (SELECT gold_databases.database FROM gold_databases)"
)

# The kinds whose annotations have types; that of a label is its set.
TYPED_KINDS = (Kind.MENTION, Kind.ENTITY, Kind.RELATION, Kind.LABEL)
# A producer may write any number of types; those that most producers report come first.
MAX_COUNTED_TYPES = 30
EACH_TYPE_SQL = """GROUPING SETS ((answer.article, {key}), (answer.article, {key}, counted_type.name))
        HAVING GROUPING(counted_type.name) = 1 OR counted_type.name IS NOT NULL"""

# The articles that are compared.
MEMBERS_SQL: Mapping[type, str] = {
    Corpus: "SELECT article_id FROM annotations_corpusarticle WHERE corpus_id = %(corpus)s",
    DataSet: "SELECT article_id FROM annotations_datasetarticle WHERE data_set_id = %(corpus)s",
}
# Raters of the current answers and, numbered from `earlier` on, of the answers before to the same text. Superseded
# labels are corrections and an earlier gold standard is another edition, so neither is a second round.
ANSWERS_SQL = """
    WITH chosen AS (SELECT * FROM unnest(%(producers)s::bigint[], %(raters)s::int[]) AS chosen (producer, rater)),
    candidate AS (
        SELECT result.id, result.producer_id AS producer, result.article_id AS article, result.superseded,
            result.text_version = article.text_version AS fits
        FROM annotations_result AS result
        JOIN ({members}) AS member ON member.article_id = result.article_id
        JOIN annotations_article AS article ON article.id = result.article_id
        WHERE result.kind = %(kind)s AND result.producer_id = ANY(%(producers)s)
    ),
    answer AS (
        SELECT chosen.rater, candidate.id, candidate.article FROM candidate JOIN chosen USING (producer)
        WHERE candidate.superseded IS NULL AND (candidate.fits OR %(kind)s <> 'mention')
        UNION ALL (
            SELECT DISTINCT ON (chosen.rater, candidate.article)
                chosen.rater + %(earlier)s, candidate.id, candidate.article
            FROM candidate JOIN chosen USING (producer)
            JOIN annotations_producer AS producer ON producer.id = candidate.producer
            WHERE candidate.superseded IS NOT NULL AND candidate.fits AND chosen.rater < %(earlier)s
            AND producer.sort <> 'gold'
            AND NOT EXISTS (SELECT FROM evaluation_labeller AS labeller WHERE labeller.producer_id = candidate.producer)
            ORDER BY chosen.rater, candidate.article, candidate.id DESC
        )
    ),
"""
LIST_TYPES_SQL = """
    reported AS (
        SELECT annotation.type, bit_or(1::bigint << answer.rater) AS raters, count(*) AS number
        FROM answer JOIN annotations_annotation AS annotation ON annotation.result_id = answer.id
        WHERE annotation.type <> '' GROUP BY annotation.type
    )
    SELECT type, raters, number FROM reported ORDER BY type
"""
# The articles that anybody answered, with the PACKED_BLOCK of each; {raters}: sets of them for each article.
ANSWERS_IN_BLOCKS_SQL = """
    SELECT article, {raters}, int2send(mod(row_number() OVER (ORDER BY article) - 1, %(blocks)s)::int2) AS block
    FROM {answers} GROUP BY article
"""
# items: each one twice if there are types, once among all (type NULL) and once among those of its type.
COUNT_ITEMS_SQL = """
    answers AS ({answers}),
    gold_databases AS (
        SELECT DISTINCT annotation.database
        FROM answer JOIN annotations_annotation AS annotation ON annotation.result_id = answer.id
        WHERE answer.rater = %(gold)s
    ),
    counted_type AS (SELECT * FROM unnest(%(spellings)s::text[], %(types)s::text[]) AS counted_type (spelling, name)),
    items AS (
        SELECT answer.article, {type} AS type, bit_or(1::bigint << answer.rater) AS reported,
            bool_or({scored}) AS scored
        FROM answer JOIN annotations_annotation AS annotation ON annotation.result_id = answer.id
        LEFT JOIN counted_type ON counted_type.spelling = annotation.type
        GROUP BY {groups}
    )
    SELECT answered, NULL::bigint, true, NULL::text, count(*), string_agg(block, ''::bytea)
    FROM answers GROUP BY answered
    UNION ALL
    SELECT answered, reported, scored, type, count(*), string_agg(block, ''::bytea)
    FROM items JOIN answers USING (article)
    GROUP BY answered, reported, scored, type
"""
# An answer without a class does not count. The earlier round of a curator who labels here is the second reading.
CLASSES_OF_ARTICLE_SQL = """bit_or(1::bigint << rater) AS answered,
            coalesce(bit_or(1::bigint << rater) FILTER (WHERE relevant), 0) AS reported"""
COUNT_CLASSES_SQL = """
    calls AS (
        SELECT answer.rater, answer.article, annotation.relevant
        FROM answer JOIN annotations_annotation AS annotation ON annotation.result_id = answer.id
        UNION ALL
        SELECT chosen.rater + %(earlier)s, label.article_id, label.relevant
        FROM evaluation_label AS label
        JOIN evaluation_labeller AS labeller ON labeller.id = label.labeller_id
        JOIN chosen ON chosen.producer = labeller.producer_id AND chosen.rater < %(earlier)s
        JOIN ({members}) AS member ON member.article_id = label.article_id
        WHERE label.again AND label.superseded IS NULL AND label.relevant IS NOT NULL
    ),
    answers AS ({answers})
    SELECT answered, NULL::bigint, true, NULL::text, count(*), string_agg(block, ''::bytea)
    FROM answers GROUP BY answered
    UNION ALL
    SELECT answered, reported, true, NULL::text, count(*), string_agg(block, ''::bytea)
    FROM answers GROUP BY answered, reported
"""


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """Counts by sets of raters.

    articles: {raters that answered: number of articles}; instances: {(raters that answered the article, raters that
    report the item): number of items}; scored: those in a database that the gold standard uses. In classifications the
    item is that an article is relevant. by_type: the same of each type that the annotations have, the type that most
    producers report first; the items of these are equal if they are without their types. article_blocks, item_blocks:
    articles and instances by block.
    """

    articles: Mapping[int, int]
    instances: Mapping[tuple[int, int], int]
    scored: Mapping[tuple[int, int], int]
    article_blocks: SetsByBlock
    item_blocks: SetsByBlock
    by_type: Mapping[str, "AnswerCounts"] = field(default_factory=dict)

    def count_common_articles(self, raters: Sequence[int]) -> int:
        """The number of articles that all of these answered; an empty answer counts too."""
        return sum(number for answered, number in self.articles.items() if all(answered >> r & 1 for r in raters))

    def has_answered(self, rater: int) -> bool:
        """Whether this rater answered any article."""
        return any(answered >> rater & 1 for answered in self.articles)

    def has_reported(self, rater: int) -> bool:
        """Whether this rater reports any item."""
        return any(reported >> rater & 1 for _, reported in self.instances)

    def count_label_patterns(self, raters: Sequence[int]) -> Counter[tuple[bool, ...]]:
        """The items in articles that all of these answered, {which of them report it: number}."""
        patterns = Counter[tuple[bool, ...]]()
        for reported, number in self._iter_common_instances(raters):
            patterns[tuple(bool(reported >> r & 1) for r in raters)] += number
        return patterns

    def count_item_patterns(self, raters: Sequence[int]) -> Counter[tuple[bool, ...]]:
        """The items that at least one of these reports, {which of them report it: number}."""
        patterns = self.count_label_patterns(raters)
        del patterns[tuple(False for _ in raters)]
        return patterns

    def keep_scored(self) -> "AnswerCounts":
        """Only the items in a database that the gold standard uses."""
        return replace(self, instances=self.scored)

    def list_supersets(self, raters: Sequence[int]) -> frozenset[int]:
        """The sets of raters with all of these, where such a set answered an article."""
        return frozenset(answered for answered in self.articles if all(answered >> r & 1 for r in raters))

    def group_patterns_by_block(
        self, raters: Sequence[int], answered_sets: Collection[int], *, only_reported: bool
    ) -> BlockPatterns:
        """The items by which of these raters report them, over the articles that one of answered_sets answered.

        only_reported: without those that none of these raters reports.
        """
        return group_patterns_by_block(
            self.article_blocks, self.item_blocks, raters, answered_sets, only_reported=only_reported
        )

    def _iter_common_instances(self, raters: Sequence[int]) -> Iterator[tuple[int, int]]:
        """(raters that report it, number) of items in articles that all of these raters answered."""
        for (answered, reported), number in self.instances.items():
            if all(answered >> r & 1 for r in raters):
                yield reported, number


def count_current_and_earlier_answers(
    corpus: Corpus | DataSet, kind: Kind, producer_ids: Sequence[int], gold_producer_id: int | None = None
) -> AnswerCounts:
    """Count the answers of the producers with these ids on the articles of a corpus or data set, in 1 query, or 2 for
    TYPED_KINDS.

    Of n producers, rater p is the p-th with its current answers, rater n + p the same producer with its answers before
    to the same text, and rater 2 n the gold standard (gold_producer_id is its producer).
    """
    raters = [
        *enumerate(producer_ids),
        *([] if gold_producer_id is None else [(2 * len(producer_ids), gold_producer_id)]),
    ]
    values: dict[str, Any] = {
        "corpus": corpus.pk,
        "kind": kind.value,
        "producers": [producer for _, producer in raters],
        "raters": [rater for rater, _ in raters],
        "earlier": len(producer_ids),
        "gold": 2 * len(producer_ids),
        "spaces": f"[{PYTHON_WHITESPACE}]+",
        "blocks": MAX_BLOCKS,
    }
    answers_sql = ANSWERS_SQL.format(members=MEMBERS_SQL[type(corpus)])
    types: Mapping[str, str] = {}
    if kind in TYPED_KINDS:
        types = _choose_counted_types(kind, _fetch_rows(answers_sql + LIST_TYPES_SQL, values), len(producer_ids))
    values |= {"spellings": list(types), "types": list(types.values())}
    return _sum_counted_rows(_fetch_rows(answers_sql + _format_count_sql(corpus, kind), values), types.values())


def _fetch_rows(sql: str, values: Mapping[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows: list[Any] = cursor.fetchall()
    return rows


def _choose_counted_types(kind: Kind, rows: Iterable[tuple[str, int, int]], producer_count: int) -> dict[str, str]:
    """{spelling: name of the type} of the types that are counted one by one, those of most producers first.

    rows: spelling, set of raters, number of annotations.
    """
    spellings: dict[str, list[str]] = {}
    raters, numbers = Counter[str](), Counter[str]()
    current = (1 << producer_count) - 1 | 1 << 2 * producer_count
    for spelling, reporting, number in rows:
        if reporting & current and (key := make_type_key(kind, spelling)):
            spellings.setdefault(key, []).append(spelling)
            raters[key] |= reporting & current
            numbers[key] += number
    order = sorted(spellings, key=lambda key: (-raters[key].bit_count(), -numbers[key], key))[:MAX_COUNTED_TYPES]
    return {spelling: _name_type(kind, spellings[key][0]) for key in order for spelling in spellings[key]}


def make_type_key(kind: Kind, spelling: str) -> str:
    """Equal for all spellings of one type of annotations of a kind; entities have the spellings that the site knows."""
    return get_type_key(spelling) if kind in (Kind.MENTION, Kind.ENTITY) else fold_type_spelling(spelling)


def _name_type(kind: Kind, spelling: str) -> str:
    return normalize_entity_type(spelling) if kind in (Kind.MENTION, Kind.ENTITY) else spelling


def _format_count_sql(corpus: Corpus | DataSet, kind: Kind) -> str:
    if kind == Kind.CLASSIFICATION:
        answers = ANSWERS_IN_BLOCKS_SQL.format(raters=CLASSES_OF_ARTICLE_SQL, answers="calls")
        return COUNT_CLASSES_SQL.format(members=MEMBERS_SQL[type(corpus)], answers=answers)
    key = ITEM_KEY_SQL.get(kind, DEFAULT_ITEM_KEY_SQL)
    has_types = kind in TYPED_KINDS
    return COUNT_ITEMS_SQL.format(
        answers=ANSWERS_IN_BLOCKS_SQL.format(raters="bit_or(1::bigint << rater) AS answered", answers="answer"),
        type="counted_type.name" if has_types else "NULL::text",
        groups=EACH_TYPE_SQL.format(key=key) if has_types else f"answer.article, {key}",
        scored=SCORED_SQL.get(kind, "true"),
    )


CountedRow = tuple[int, int | None, bool, str | None, int, memoryview]


def _sum_counted_rows(rows: Sequence[CountedRow], types: Iterable[str]) -> AnswerCounts:
    """rows: raters that answered, raters that report an item, whether it is scored, type, number, its blocks; types: in
    order.
    """
    articles: dict[int, int] = {}
    items_by_type: dict[str | None, list[CountedRow]] = {}
    for row in rows:
        answered, reported, _, entity_type, number, _ = row
        if reported is None:
            articles[answered] = number
        else:
            items_by_type.setdefault(entity_type, []).append(row)
    article_blocks = count_blocks((answered, 0, blocks) for answered, reported, *_, blocks in rows if reported is None)
    whole = _sum_items(articles, article_blocks, items_by_type.get(None, []))
    by_type = {name: _sum_items(articles, article_blocks, items_by_type.get(name, [])) for name in types}
    return replace(whole, by_type=by_type)


def _sum_items(articles: Mapping[int, int], article_blocks: SetsByBlock, rows: Iterable[CountedRow]) -> AnswerCounts:
    """The counts of the items in rows, all of one type or of all types."""
    instances, scored = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    packed = []
    for answered, reported, is_scored, _, number, blocks in rows:
        sets = answered, reported or 0
        instances[sets] += number
        scored[sets] += number if is_scored else 0
        packed.append((*sets, blocks))
    return AnswerCounts(articles, instances, scored, article_blocks, count_blocks(packed))
