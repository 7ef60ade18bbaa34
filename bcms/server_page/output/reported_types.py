"""What a server reports: kinds and types of its newest annotations."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import Exists, OuterRef

from annotations.articles.models import ArticleTakedown
from annotations.results.models import Result
from annotations.schema import KIND_LABELS, Kind
from servers.calls.models import Queue
from servers.calls.states import QueueMode
from servers.registry.models import Server

# So that the page takes as long however many articles the server has annotated, and however many annotations a single
# answer has, of which 16 MiB hold hundreds of thousands.
NEWEST_RESULTS = 300
MOST_OF_A_RESULT = 500
MOST_TYPES = 12
COUNT_TYPES = """
SELECT count(*) AS number, result.kind, counted.type
FROM annotations_result AS result CROSS JOIN LATERAL (
    SELECT type FROM annotations_annotation WHERE result_id = result.id ORDER BY id LIMIT %s
) AS counted
WHERE result.id = ANY(%s) GROUP BY result.kind, counted.type
"""


@dataclass(frozen=True, slots=True)
class TypeCount:
    """type: as the server names it, "" for a kind without types; share: of all that were counted, in per cent."""

    kind: str
    type: str
    number: int
    share: int


@dataclass(frozen=True, slots=True)
class ReportedTypes:
    """counts: the most frequent types first, of which there are others; articles, total: that were counted.

    is_cut: whether an answer may have more annotations than were counted.
    """

    counts: Sequence[TypeCount]
    others: int
    articles: int
    total: int
    is_cut: bool
    most_of_an_answer: int


def load_reported_types(server: Server) -> ReportedTypes | None:
    """Of the newest results of its live queue for public articles; None without any. 2 queries."""
    # With this one producer, the database reads the newest results alone (index result_of_producer_since).
    producer = Queue.objects.filter(server=server, mode=QueueMode.LIVE).values("producer")[:1]
    current = Result.objects.filter(producer=producer, superseded__isnull=True, article__blind=False)
    current = current.exclude(Exists(ArticleTakedown.objects.filter(article=OuterRef("article"))))
    newest = dict(current.order_by("-received", "-pk").values_list("pk", "article")[:NEWEST_RESULTS])
    if not newest:
        return None
    with connection.cursor() as cursor:
        cursor.execute(COUNT_TYPES, [MOST_OF_A_RESULT, list(newest)])
        counted = sorted(cursor.fetchall(), key=lambda row: (-row[0], *row[1:]))
    total = sum(number for number, _, _ in counted)
    counts = [
        TypeCount(KIND_LABELS[Kind(kind)], name, number, round(100 * number / total))
        for number, kind, name in counted[:MOST_TYPES]
    ]
    is_cut = total >= MOST_OF_A_RESULT
    return ReportedTypes(counts, len(counted) - len(counts), len(set(newest.values())), total, is_cut, MOST_OF_A_RESULT)
