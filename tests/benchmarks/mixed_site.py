"""A leaderboard and annotated abstracts on one site."""

from typing import Any


def make_board_and_abstracts(runs: int, board_articles: int, abstracts: int, servers: int) -> list[Any]:
    """Make a challenge whose leaderboard is /challenges/board/training/GN/, and so many abstracts, which it returns."""
    from django.db.models import F

    from annotations.articles.models import Article
    from annotations.identifiers.models import Entry
    from tests.benchmarks import annotated_articles
    from tests.benchmarks.leaderboard import fill_board

    fill_board(runs, board_articles, 10)
    Article.objects.update(pmid=F("pmid") + 5_000_000)
    # Some of the board's made-up proteins have the accessions of real ones.
    Entry.objects.filter(identifier__in=[accession for accession, *_ in annotated_articles.GENES.values()]).delete()
    return annotated_articles.make_annotated_articles(abstracts, servers)
