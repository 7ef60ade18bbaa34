"""Every decision about the passages of a pool, those that were changed later too, as a file."""

import csv
from io import StringIO

from evaluation.articles import articles_of
from evaluation.pooling.models import Judgement, Pool

HEADINGS = [
    *("article", "first", "second", "passage", "judge", "relevant", "best", "adjudicates", "at", "seconds"),
    "superseded",
]


def decisions_file(pool: Pool) -> str:
    """One line a decision in the order in which they were made, of the articles that count; seconds empty: unknown."""
    names, lines = articles_of(pool.phase), StringIO()
    writer = csv.writer(lines, delimiter="\t", lineterminator="\n")
    writer.writerow(HEADINGS)
    rows = Judgement.objects.filter(passage__pool=pool).select_related("passage", "judge").order_by("pk")
    for own in rows.iterator(chunk_size=2000):
        passage = own.passage
        if passage.article_id in names:
            what = [names[passage.article_id], passage.first, passage.second, passage.passage]
            said = [int(own.relevant), int(own.best), int(own.adjudicates)]
            took = "" if own.seconds is None else f"{own.seconds:.1f}"
            until = own.superseded.isoformat() if own.superseded else ""
            who = own.judge.username if own.judge else own.pseudonym
            writer.writerow([*what, who, *said, own.at.isoformat(), took, until])
    return lines.getvalue()
