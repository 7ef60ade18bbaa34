"""Export every judgement of a pool, also superseded ones."""

from bcms.lib.table_text import format_tsv
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.pooling.models import Judgement, Pool

DECISION_COLUMNS = [
    *("article", "first", "second", "passage", "judge", "relevant", "best", "adjudicates", "at", "seconds"),
    "superseded",
]


def format_judgement_history_tsv(pool: Pool) -> str:
    """One line per judgement on articles that count, in chronological order; unknown seconds are empty."""
    names = list_unexcluded_article_names(pool.phase)
    lines: list[list[object]] = [[*DECISION_COLUMNS]]
    rows = Judgement.objects.filter(passage__pool=pool).select_related("passage", "judge").order_by("pk")
    for judgement in rows.iterator(chunk_size=2000):
        passage = judgement.passage
        if passage.article_id in names:
            pair_and_passage = [names[passage.article_id], passage.first, passage.second, passage.passage]
            flags = [int(judgement.relevant), int(judgement.best), int(judgement.adjudicates)]
            seconds = "" if judgement.seconds is None else f"{judgement.seconds:.1f}"
            superseded = judgement.superseded.isoformat() if judgement.superseded else ""
            judge = judgement.judge.username if judgement.judge else judgement.pseudonym
            lines.append([*pair_and_passage, judge, *flags, judgement.at.isoformat(), seconds, superseded])
    return format_tsv(lines)
