"""Pooled passages in an archive: what was decided of each, and nobody's single judgement."""

import json
from collections.abc import Iterator, Mapping

from annotations.models import Article
from evaluation.archives.parts import Part
from evaluation.archives.unpacking import Unpacked
from evaluation.archives.values import row_of, values_of
from evaluation.models import GoldStandard, Pool, PooledPassage

DECIDED = ("database", "first", "second", "passage", "relevant", "best")


def pool_file(folder: str) -> str:
    return f"{folder}/pool.jsonl"


def pool_lines(part: Part) -> Iterator[str]:
    """The passages in the order of the pool, a JSON object each."""
    rows = PooledPassage.objects.filter(pool__task=part.task, pool__phase=part.phase, relevant__isnull=False)
    for own in rows.order_by("pk").iterator():
        if own.article_id in part.every:
            told = {"article": part.every[own.article_id], **values_of(own, DECIDED)}
            yield json.dumps(told, ensure_ascii=False) + "\n"


def restore_pool(archive: Unpacked, folder: str, gold: GoldStandard, articles: Mapping[str, Article]) -> None:
    """The pool as it was closed. KeyError for an unknown article."""
    pool = Pool.objects.create(task=gold.task, phase=gold.phase, closed=gold.imported)
    PooledPassage.objects.bulk_create(
        row_of(PooledPassage, own, DECIDED, pool=pool, article=articles[own["article"]])
        for own in archive.json_lines(pool_file(folder))
    )
