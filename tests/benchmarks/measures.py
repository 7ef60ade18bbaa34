"""How many articles per second the measures score, and how that compares: `python -m tests.benchmarks.measures`.

The lists are made by a rule, not by chance, so that two runs score the same figures: item k of article d is right when
a fixed mix of both numbers says so. Ratios are of times measured in this one run, in seconds of processor time, which
tell more than those of the clock where others use the machine, too.
"""

from collections.abc import Callable
from time import process_time

import numpy as np
import pytrec_eval

from annotations.schema import AnnotationData, Kind
from evaluation.measures.classification.article_calls import ArticleCall
from evaluation.measures.columns import CodedColumn, GoldColumns, RunColumns
from evaluation.measures.leaderboard_figures import (
    build_list_columns_in_gold_databases,
    compute_call_figures_unreported_negative,
    compute_micro_and_gold_only_macro_figures,
)
from evaluation.measures.lists.list_rows import build_list_rows
from evaluation.measures.lists.ranking import (
    RankedHits,
    build_checked_ranked_hits,
    compute_f_ap_and_auc_ipr_per_article,
    compute_macro_averages_with_mean_curve_ap,
    compute_micro_averages,
)
from evaluation.measures.lists.scenarios import match_run_and_mark_hits
from evaluation.measures.run_figures import compute_list_figures, compute_macro_figures, compute_micro_figures
from tests.benchmarks.command_line import print_ratio, run_main

ACCESSIONS = 40_000
GROWTH_FACTOR, GROWTH_STEPS = 10, 4


def is_right(article: int, rank: int) -> bool:
    return (article * 7919 + rank * 104729) % 97 < 6


def make_hits(articles: int, ranks: int) -> tuple[list[list[bool]], list[int]]:
    hits = [[is_right(article, rank) for rank in range(ranks)] for article in range(articles)]
    return hits, [sum(row) + 1 for row in hits]


def make_taxon(rank: int) -> AnnotationData:
    return AnnotationData(Kind.TAXON, rank=rank + 1, database="ncbitaxon", identifier=str(9000 + rank))


def make_taxa(articles: int, each: int) -> dict[str, list[AnnotationData]]:
    return {str(article): [make_taxon(rank) for rank in range(each)] for article in range(articles)}


def print_speed(what: str, articles: int, work: Callable[[], object]) -> float:
    """Seconds of the fastest of three times."""
    seconds = max(min(measure_seconds(work) for _ in range(3)), 1e-9)
    print(f"{what:<58} {articles:>7,} articles {seconds:>8.4f} s {articles / seconds:>12,.0f} articles/s")
    return seconds


def measure_seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def compute_averages(ranked: RankedHits) -> None:
    compute_micro_averages(ranked)
    compute_macro_averages_with_mean_curve_ap(ranked)


def make_columns(articles: int, each: int) -> tuple[GoldColumns, RunColumns]:
    """A run with `each` results for every article, of which every article has some sixteenth right."""
    names, items = [f"d{n}" for n in range(articles)], [f"P{n:05d}" for n in range(ACCESSIONS)]
    document, index = np.repeat(np.arange(articles), each), np.tile(np.arange(each), articles)
    item = (document * 7919 + index) % ACCESSIONS
    right = (document * 31 + index * 17) % 16 == 0
    gold = GoldColumns(CodedColumn(names, document[right]), CodedColumn(items, item[right]))
    return gold, RunColumns(CodedColumn(names, document), CodedColumn(items, item), index + 1)


def measure_lists(articles: int, ranks: int) -> None:
    hits, gold = make_hits(articles, ranks)
    print_speed(f"make the table of hits, {ranks} ranks", articles, lambda: build_checked_ranked_hits(hits, gold))
    ranked = build_checked_ranked_hits(hits, gold)
    print_speed(f"all micro and macro figures, {ranks} ranks", articles, lambda: compute_averages(ranked))


def measure_annotations(articles: int, each: int) -> None:
    submitted = make_taxa(articles, each)
    gold = {name: frozenset(annotation.key for annotation in taxa[:1]) for name, taxa in submitted.items()}

    def score_annotations() -> None:
        columns = build_list_columns_in_gold_databases(gold, build_list_rows(submitted))
        compute_micro_and_gold_only_macro_figures(match_run_and_mark_hits(columns.gold, columns.run).ranked)

    print_speed(f"from annotations to figures, {each} each", articles, score_annotations)


def measure_calls(number: int) -> None:
    calls = [ArticleCall(str(n), is_right(n, 0), confidence=(n % 99 + 1) / 100) for n in range(number)]
    labels = {call.article: is_right(int(call.article), 1) for call in calls}
    print_speed("from calls to figures", number, lambda: compute_call_figures_unreported_negative(labels, calls))


def measure_official_size(articles: int, ranks: int) -> None:
    """INT, 600 documents x 250 results: the measures alone are to take at most 20 ms."""
    gold, run = make_columns(articles, ranks)
    whole = print_speed(
        f"from columns to all figures, {ranks} results each", articles, lambda: compute_list_figures(gold, run)
    )
    ranked = match_run_and_mark_hits(gold, run).ranked
    alone = print_speed(
        "the measures alone", articles, lambda: (compute_micro_figures(ranked), compute_macro_figures(ranked))
    )
    print(f"  {alone / 0.020:.2f} of the 20 ms that the measures may take")
    print_ratio("the measures alone / from columns to all figures", alone, whole)


def compare_with_trec_eval(articles: int, ranks: int) -> None:
    """Per-article AP from what each reads fastest."""
    gold, run = make_columns(articles, ranks)
    ranked = match_run_and_mark_hits(gold, run).ranked
    rows = list(zip(list_names(run.document), list_names(run.item), run.rank.tolist(), strict=True))
    right = list(zip(list_names(gold.document), list_names(gold.item), strict=True))
    qrels, lists = build_dictionaries(right, rows)
    judge = pytrec_eval.RelevanceEvaluator(qrels, {"map"})
    ours = print_speed("per-article AP from arrays", articles, lambda: compute_f_ap_and_auc_ipr_per_article(ranked).ap)
    theirs = print_speed("per-article AP of trec_eval from dictionaries", articles, lambda: judge.evaluate(lists))
    print_ratio("trec_eval / per-article AP (3 are required)", theirs, ours)


def list_names(column: CodedColumn) -> list[str]:
    return [column.names[code] for code in column.codes.tolist()]


def build_dictionaries(right: list[tuple[str, str]], rows: list[tuple[str, str, int]]) -> tuple[dict, dict]:
    qrels: dict[str, dict[str, int]] = {}
    lists: dict[str, dict[str, float]] = {}
    for name, item in right:
        qrels.setdefault(name, {})[item] = 1
    for name, item, rank in rows:
        lists.setdefault(name, {})[item] = -float(rank)
    return qrels, lists


def measure_growth(most: int) -> None:
    """Cost by number of results: ten times the results are to take about ten times as long."""
    before = 0.0
    for step in reversed(range(GROWTH_STEPS)):
        results = most // GROWTH_FACTOR**step
        gold, run = make_columns(max(results // 100, 1), 100)
        seconds = measure_seconds(lambda gold=gold, run=run: compute_list_figures(gold, run))
        print(f"  {results:>10,} results {seconds:>8.3f} s {seconds / results * 1e6:>8.3f} us a result")
        if step < GROWTH_STEPS - 1:
            print_ratio(f"{results:,} results / a tenth of them", seconds, before)
        before = seconds


def main(articles: int = 600, many_articles: int = 22_730, ranks: int = 250, results: int = 10**7) -> None:
    for number in (articles, many_articles):
        measure_lists(number, ranks)
    measure_annotations(articles // 2, 3)
    measure_annotations(articles, ranks)
    measure_calls(articles * 10)
    measure_official_size(articles, ranks)
    compare_with_trec_eval(articles, ranks)
    measure_growth(results)


if __name__ == "__main__":
    run_main(main)
