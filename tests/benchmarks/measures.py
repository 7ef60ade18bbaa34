"""How many articles per second the measures score: `python -m tests.benchmarks.measures`.

The lists are made by a rule, not by chance, so that two runs score the same figures: item k of article d is right when
a fixed mix of both numbers says so.
"""

from collections.abc import Callable
from time import perf_counter

from annotations.kinds import Finding, Kind
from evaluation.measures.classification import Judgement
from evaluation.measures.figures import of_classification, of_lists
from evaluation.measures.ranking import RankedHits, macro, micro, ranked_hits

RANKS = 250


def right(article: int, rank: int) -> bool:
    return (article * 7919 + rank * 104729) % 97 < 6


def lists(articles: int) -> tuple[list[list[bool]], list[int]]:
    hits = [[right(article, rank) for rank in range(RANKS)] for article in range(articles)]
    return hits, [sum(row) + 1 for row in hits]


def taxon(rank: int) -> Finding:
    return Finding(Kind.TAXON, rank=rank + 1, database="ncbitaxon", identifier=str(9000 + rank))


def taxa(articles: int, each: int) -> dict[str, list[Finding]]:
    return {str(article): [taxon(rank) for rank in range(each)] for article in range(articles)}


def show(what: str, articles: int, work: Callable[[], object]) -> None:
    seconds = min(timed(work) for _ in range(3))
    print(f"{what:<58} {articles:>7,} articles {seconds:>8.3f} s {articles / seconds:>12,.0f} articles/s")


def timed(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def both(ranked: RankedHits) -> None:
    micro(ranked)
    macro(ranked)


def main() -> None:
    for articles in (600, 22_730):
        hits, gold = lists(articles)
        show(f"make the table of hits, {RANKS} ranks", articles, lambda hits=hits, gold=gold: ranked_hits(hits, gold))
        ranked = ranked_hits(hits, gold)
        show(f"all micro and macro figures, {RANKS} ranks", articles, lambda ranked=ranked: both(ranked))
    for articles, each in ((300, 3), (600, 250)):
        said = taxa(articles, each)
        keys = {name: frozenset(finding.key for finding in found[:1]) for name, found in said.items()}
        show(f"from findings to figures, {each} each", articles, lambda keys=keys, said=said: of_lists(keys, said))
    calls = [Judgement(str(n), right(n, 0), confidence=(n % 99 + 1) / 100) for n in range(6_000)]
    labels = {call.article: right(int(call.article), 1) for call in calls}
    show("from calls to figures", len(calls), lambda: of_classification(labels, calls))


if __name__ == "__main__":
    main()
