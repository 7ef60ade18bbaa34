"""How many articles per second the measures score, and how that compares: `python -m tests.benchmarks.measures`.

The lists are made by a rule, not by chance, so that two runs score the same figures: item k of article d is right when
a fixed mix of both numbers says so. Ratios are of times measured in this one run, in seconds of processor time, which
tell more than those of the clock where others use the machine, too.
"""

from collections.abc import Callable
from time import process_time

import numpy as np
import pytrec_eval

from annotations.kinds import Finding, Kind
from evaluation.measures.classification import Judgement
from evaluation.measures.columns import Coded, GoldColumns, RunColumns
from evaluation.measures.finding_figures import of_classification, of_lists
from evaluation.measures.lists import named_hits
from evaluation.measures.ranking import RankedHits, macro, micro, per_article, ranked_hits
from evaluation.measures.run_figures import list_figures, macro_figures, micro_figures
from evaluation.measures.scenarios import evaluated

RANKS = 250
ACCESSIONS = 40_000


def right(article: int, rank: int) -> bool:
    return (article * 7919 + rank * 104729) % 97 < 6


def lists(articles: int) -> tuple[list[list[bool]], list[int]]:
    hits = [[right(article, rank) for rank in range(RANKS)] for article in range(articles)]
    return hits, [sum(row) + 1 for row in hits]


def taxon(rank: int) -> Finding:
    return Finding(Kind.TAXON, rank=rank + 1, database="ncbitaxon", identifier=str(9000 + rank))


def taxa(articles: int, each: int) -> dict[str, list[Finding]]:
    return {str(article): [taxon(rank) for rank in range(each)] for article in range(articles)}


def show(what: str, articles: int, work: Callable[[], object]) -> float:
    seconds = min(timed(work) for _ in range(3))
    print(f"{what:<58} {articles:>7,} articles {seconds:>8.4f} s {articles / seconds:>12,.0f} articles/s")
    return seconds


def timed(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def both(ranked: RankedHits) -> None:
    micro(ranked)
    macro(ranked)


def columns(articles: int, each: int) -> tuple[GoldColumns, RunColumns]:
    """A run with `each` results for every article, of which every article has some sixteenth right."""
    names, items = [f"d{n}" for n in range(articles)], [f"P{n:05d}" for n in range(ACCESSIONS)]
    document, place = np.repeat(np.arange(articles), each), np.tile(np.arange(each), articles)
    item = (document * 7919 + place) % ACCESSIONS
    right = (document * 31 + place * 17) % 16 == 0
    gold = GoldColumns(Coded(names, document[right]), Coded(items, item[right]))
    return gold, RunColumns(Coded(names, document), Coded(items, item), place + 1)


def official_size() -> None:
    """INT, 600 documents x 250 results: the measures alone are to take at most 20 ms."""
    gold, run = columns(600, 250)
    show("from columns to all figures, 250 results each", 600, lambda: list_figures(gold, run))
    ranked = evaluated(gold, run).ranked
    seconds = show("the measures alone", 600, lambda: (micro_figures(ranked), macro_figures(ranked)))
    print(f"  {seconds / 0.020:.2f} of the 20 ms that the measures may take")


def against_trec_eval() -> None:
    """Per-article AP from what each reads fastest, and from rows of strings."""
    gold, run = columns(600, 250)
    ranked = evaluated(gold, run).ranked
    rows = list(zip(strings(run.document), strings(run.item), run.rank.tolist(), strict=True))
    right = list(zip(strings(gold.document), strings(gold.item), strict=True))
    qrels, lists = as_dictionaries(right, rows)
    judge = pytrec_eval.RelevanceEvaluator(qrels, {"map"})
    ours = show("per-article AP from arrays", 600, lambda: per_article(ranked).ap)
    theirs = show("per-article AP of trec_eval from dictionaries", 600, lambda: judge.evaluate(lists))
    print(f"  {theirs / ours:.1f} times the articles a second (3 are asked)")
    ours = show("per-article AP from strings", 600, lambda: from_strings(right, rows))
    theirs = show("per-article AP of trec_eval from strings", 600, lambda: trec_from_strings(right, rows))
    print(f"  {theirs / ours:.1f} times the articles a second (1 is asked)")


def strings(column: Coded) -> list[str]:
    return [column.names[code] for code in column.codes.tolist()]


def from_strings(right: list[tuple[str, str]], rows: list[tuple[str, str, int]]) -> object:
    documents, items, ranks = ([row[field] for row in rows] for field in range(3))
    return per_article(named_hits(right, documents, items, ranks)).ap


def as_dictionaries(right: list[tuple[str, str]], rows: list[tuple[str, str, int]]) -> tuple[dict, dict]:
    qrels: dict[str, dict[str, int]] = {}
    lists: dict[str, dict[str, float]] = {}
    for name, item in right:
        qrels.setdefault(name, {})[item] = 1
    for name, item, rank in rows:
        lists.setdefault(name, {})[item] = -float(rank)
    return qrels, lists


def trec_from_strings(right: list[tuple[str, str]], rows: list[tuple[str, str, int]]) -> object:
    qrels, lists = as_dictionaries(right, rows)
    return pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(lists)


def growth() -> None:
    """Cost by number of results: ten times the results are to take about ten times as long."""
    before = None
    for results in (10**4, 10**5, 10**6, 10**7):
        gold, run = columns(results // 100, 100)
        seconds = timed(lambda gold=gold, run=run: list_figures(gold, run))
        ratio = f"{seconds / before:.1f} times the one before" if before else ""
        print(f"  {results:>10,} results {seconds:>8.3f} s {seconds / results * 1e6:>8.3f} us a result  {ratio}")
        before = seconds


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
    official_size()
    against_trec_eval()
    growth()


if __name__ == "__main__":
    main()
