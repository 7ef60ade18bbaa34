"""Pooled passages in an archive: what was decided of each, and what every judge said of it, without their names."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from annotations.models import Article
from evaluation.archives.parts import Part
from evaluation.archives.unpacking import Unpacked
from evaluation.archives.values import row_of, values_of
from evaluation.models import GoldStandard, Judgement, Pool, PooledPassage, PoolJudge

DECIDED = ("database", "first", "second", "passage", "relevant", "best")
JUDGE = ("adjudicates", "named")
JUDGEMENT = ("relevant", "best", "adjudicates", "at", "seconds", "superseded")
PSEUDONYM = re.compile(r"Judge [1-9][0-9]{0,8}")
BATCH = 2000


def pool_file(folder: str) -> str:
    return f"{folder}/pool.jsonl"


def judging_file(folder: str) -> str:
    return f"{folder}/judging.json"


def decided_in(part: Part) -> Iterator[PooledPassage]:
    """The passages of which something was decided, in the order of the pool."""
    rows = PooledPassage.objects.filter(pool__task=part.task, pool__phase=part.phase, relevant__isnull=False)
    return (own for own in rows.order_by("pk").iterator() if own.article_id in part.every)


def pool_lines(part: Part) -> Iterator[str]:
    """A JSON object for each passage."""
    for own in decided_in(part):
        told = {"article": part.every[own.article_id], **values_of(own, DECIDED)}
        yield json.dumps(told, ensure_ascii=False) + "\n"


def judging_values(part: Part) -> dict[str, Any]:
    """The judges who are named, in that order, and every decision in the order in which they were made.

    passage: the line of pool.jsonl; judge: a pseudonym, empty where nobody knows any more who it was.
    """
    line = {own.pk: number for number, own in enumerate(decided_in(part), 1)}
    judges = list(PoolJudge.objects.filter(pool__task=part.task, pool__phase=part.phase).order_by("pk"))
    own = Judgement.objects.filter(passage__pool__task=part.task, passage__pool__phase=part.phase).order_by("pk")
    judgements = [each for each in own.iterator() if each.passage_id in line]
    called = pseudonyms([*(each.who for each in judges), *(each.who for each in judgements)])
    return {
        "judges": [{"judge": called[each.who], **values_of(each, JUDGE)} for each in judges],
        "decisions": [
            {"passage": line[each.passage_id], "judge": called[each.who], **values_of(each, JUDGEMENT)}
            for each in judgements
        ],
    }


def pseudonyms(everybody: Sequence[int | str]) -> dict[int | str, str]:
    """What an archive calls each: who came out of one as they were called there, the others by the numbers left."""
    taken = {who for who in everybody if isinstance(who, str)}
    free = (name for number in count(1) if (name := f"Judge {number}") not in taken)
    return {who: who if isinstance(who, str) else next(free) for who in dict.fromkeys(everybody)}


def restore_pool(archive: Unpacked, folder: str, gold: GoldStandard, articles: Mapping[str, Article]) -> None:
    """The pool as it was closed. KeyError for an unknown article."""
    pool = Pool.objects.create(task=gold.task, phase=gold.phase, closed=gold.imported)
    passages = PooledPassage.objects.bulk_create(
        row_of(PooledPassage, own, DECIDED, pool=pool, article=articles[own["article"]])
        for own in archive.json_lines(pool_file(folder))
    )
    if judging_file(folder) in archive.names:
        restore_judging(archive.json(judging_file(folder)), pool, dict(enumerate(passages, 1)))


def restore_judging(told: Mapping[str, Any], pool: Pool, passages: Mapping[int, PooledPassage]) -> None:
    """Judges without accounts and what they said; passages: by their lines. KeyError for an unknown one."""
    PoolJudge.objects.bulk_create(
        row_of(PoolJudge, own, JUDGE, pool=pool, pseudonym=pseudonym(own["judge"])) for own in told["judges"]
    )
    decisions = (
        row_of(Judgement, own, JUDGEMENT, passage=passages[own["passage"]], pseudonym=pseudonym(own["judge"]))
        for own in told["decisions"]
    )
    Judgement.objects.bulk_create(decisions, batch_size=BATCH)


def pseudonym(name: str) -> str:
    """ValueError for any other name: nobody comes out of an archive under the name of somebody here."""
    if name and not PSEUDONYM.fullmatch(name):
        raise ValueError(name)
    return name
