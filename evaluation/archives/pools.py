"""Pools in an archive: the final verdicts, and every judgement, without the names of the judges."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from annotations.articles.models import Article
from evaluation.archives.parts import ArchivePart
from evaluation.archives.row_values import build_json_field_values, build_validated_row_from_json
from evaluation.archives.zip_reader import CheckedArchive
from evaluation.gold.models import GoldStandard
from evaluation.pooling.models import Judgement, Pool, PooledPassage, PoolJudge

DECIDED_PASSAGE_FIELDS = ("database", "first", "second", "passage", "relevant", "best")
JUDGE_FIELDS = ("adjudicates", "named")
JUDGEMENT_FIELDS = ("relevant", "best", "adjudicates", "at", "seconds", "superseded")
JUDGE_PSEUDONYM = re.compile(r"Judge [1-9][0-9]{0,8}")
JUDGEMENTS_PER_INSERT = 2000


def format_pool_path(folder: str) -> str:
    return f"{folder}/pool.jsonl"


def format_judging_path(folder: str) -> str:
    return f"{folder}/judging.json"


def _iter_decided_passages(part: ArchivePart) -> Iterator[PooledPassage]:
    """Yield the passages with a final verdict, in the order of the pool."""
    rows = PooledPassage.objects.filter(pool__task=part.task, pool__phase=part.phase, relevant__isnull=False)
    return (passage for passage in rows.order_by("pk").iterator() if passage.article_id in part.article_names)


def iter_decided_passage_json_lines(part: ArchivePart) -> Iterator[str]:
    """Yield a line of JSON for each decided passage."""
    for passage in _iter_decided_passages(part):
        document = {
            "article": part.article_names[passage.article_id],
            **build_json_field_values(passage, DECIDED_PASSAGE_FIELDS),
        }
        yield json.dumps(document, ensure_ascii=False) + "\n"


def build_pseudonymous_judging_document(part: ArchivePart) -> dict[str, Any]:
    """The document judging.json: the judges, and all judgements in chronological order.

    passage: the line in pool.jsonl; judge: a pseudonym, empty if the account was deleted.
    """
    line_numbers = {rows.pk: number for number, rows in enumerate(_iter_decided_passages(part), 1)}
    judges = list(PoolJudge.objects.filter(pool__task=part.task, pool__phase=part.phase).order_by("pk"))
    rows = Judgement.objects.filter(passage__pool__task=part.task, passage__pool__phase=part.phase).order_by("pk")
    judgements = [row for row in rows.iterator() if row.passage_id in line_numbers]
    pseudonyms = assign_judge_pseudonyms(
        [*(row.account_or_pseudonym for row in judges), *(row.account_or_pseudonym for row in judgements)]
    )
    return {
        "judges": [
            {"judge": pseudonyms[row.account_or_pseudonym], **build_json_field_values(row, JUDGE_FIELDS)}
            for row in judges
        ],
        "decisions": [
            {
                "passage": line_numbers[row.passage_id],
                "judge": pseudonyms[row.account_or_pseudonym],
                **build_json_field_values(row, JUDGEMENT_FIELDS),
            }
            for row in judgements
        ],
    }


def assign_judge_pseudonyms(account_ids_or_pseudonyms: Sequence[int | str]) -> dict[int | str, str]:
    """Return {account or pseudonym: pseudonym in the archive}; restored judges keep their pseudonyms."""
    taken = {judge for judge in account_ids_or_pseudonyms if isinstance(judge, str)}
    free = (name for number in count(1) if (name := f"Judge {number}") not in taken)
    return {
        judge: judge if isinstance(judge, str) else next(free) for judge in dict.fromkeys(account_ids_or_pseudonyms)
    }


def restore_closed_pool_with_judgements(
    archive: CheckedArchive, part_folder: str, gold: GoldStandard, article_by_archive_name: Mapping[str, Article]
) -> None:
    """Restore a closed pool. Raises KeyError for an unknown article."""
    pool = Pool.objects.create(task=gold.task, phase=gold.phase, closed=gold.imported)
    passages = PooledPassage.objects.bulk_create(
        build_validated_row_from_json(
            PooledPassage, row, DECIDED_PASSAGE_FIELDS, pool=pool, article=article_by_archive_name[row["article"]]
        )
        for row in archive.json_lines(format_pool_path(part_folder))
    )
    if format_judging_path(part_folder) in archive.names:
        _restore_judgements(archive.json(format_judging_path(part_folder)), pool, dict(enumerate(passages, 1)))


def _restore_judgements(document: Mapping[str, Any], pool: Pool, passages: Mapping[int, PooledPassage]) -> None:
    """Restore judges without accounts, and their judgements. passages: {line number: passage}.

    Raises KeyError for an unknown line.
    """
    PoolJudge.objects.bulk_create(
        build_validated_row_from_json(
            PoolJudge, row, JUDGE_FIELDS, pool=pool, pseudonym=check_judge_pseudonym_if_any(row["judge"])
        )
        for row in document["judges"]
    )
    decisions = (
        build_validated_row_from_json(
            Judgement,
            row,
            JUDGEMENT_FIELDS,
            passage=passages[row["passage"]],
            pseudonym=check_judge_pseudonym_if_any(row["judge"]),
        )
        for row in document["decisions"]
    )
    Judgement.objects.bulk_create(decisions, batch_size=JUDGEMENTS_PER_INSERT)


def check_judge_pseudonym_if_any(pseudonym: str) -> str:
    """Return the pseudonym. Raises ValueError for any other name, so that no judge is taken for an account here."""
    if pseudonym and not JUDGE_PSEUDONYM.fullmatch(pseudonym):
        raise ValueError(pseudonym)
    return pseudonym
