"""How fast a leaderboard of 100 runs opens, and how long scoring one run and comparing all of them takes.

    python -m tests.benchmarks.leaderboard [--runs 100]

6,000 articles, 12 measures. One run of 150,000 lines is stored and scored in every scenario, as a worker does it; the
others are on the board with the scores that a worker would store of them. Prints the median and the 95th percentile in
milliseconds of the page, the poll, the files and the API inside the process, each as a share of 300 ms, and the seconds
of scoring the one run, as a share of 1.5 s, and of comparing all. The ratios compare with reading the same annotations
or scores from the database. The data are made by a rule from one seed.
"""

import statistics
import time

import numpy as np

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site

PROTEINS, SAMPLES = 5000, 40
PAGE_MS, SCORE_S = 300.0, 1.5
NAMES = [f"P{number:05}" for number in range(PROTEINS)]
TAXA = (9606, 10090, 4932)


def measure_milliseconds(work):
    """Of the clock, and of the processor, which tell more where others use the machine too."""
    start, processor = time.perf_counter(), time.process_time()
    work()
    return 1000 * (time.perf_counter() - start), 1000 * (time.process_time() - processor)


def measure_seconds(name, work, aim=None):
    """Print the seconds of the clock and of the processor; returns the former and the result of the work."""
    start, processor = time.perf_counter(), time.process_time()
    result = work()
    seconds = time.perf_counter() - start
    share = f"   {seconds / aim:.2f} of the aim" if aim else ""
    print(f"{name:<44} {seconds:7.2f} s, {time.process_time() - processor:.2f} s of processor{share}", flush=True)
    return seconds, result


def print_times(name, request, times):
    """Print percentiles of a request in milliseconds; returns the median."""
    clock, processor = zip(*(measure_milliseconds(request) for _ in range(times)), strict=True)
    p95 = statistics.quantiles(clock, n=20)[-1]
    print(
        f"{name:<20} p50 {statistics.median(clock):6.1f} ms   p95 {p95:6.1f} ms, {p95 / PAGE_MS:.2f} of the aim"
        f"   processor p95 {statistics.quantiles(processor, n=20)[-1]:6.1f} ms",
        flush=True,
    )
    return statistics.median(clock)


def make_board(number_of_articles):
    """A published board with a gold standard of one to nine proteins an article, and its teams."""
    from django.contrib.auth import get_user_model
    from django.utils import timezone

    from annotations.articles.models import Article, Corpus, CorpusArticle
    from annotations.identifiers.models import Entry
    from annotations.schema import Kind
    from evaluation.challenges.setup import creation
    from evaluation.gold.storage import store_gold_sealed_or_open
    from servers.teams.models import Team
    from tests.integration.evaluation_cast import create_listed_challenge

    entries = [
        Entry(database="uniprot", identifier=name, taxon=TAXA[number % 3], exists=True)
        for number, name in enumerate(NAMES)
    ]
    entries += [Entry(database="uniprot", identifier=f"N{name}_HUMAN", successors=[name]) for name in NAMES]
    Entry.objects.bulk_create(entries, batch_size=2000)
    articles = Article.objects.bulk_create(
        Article(pmid=30_000_000 + number, passages=[{"type": "title", "text": "T"}], text="T", content_hash="0" * 64)
        for number in range(number_of_articles)
    )
    corpus = Corpus.objects.create(slug="board", name="Board")
    rows = (CorpusArticle(corpus=corpus, article=own, position=position) for position, own in enumerate(articles))
    CorpusArticle.objects.bulk_create(rows)
    organizer = get_user_model().objects.create_user("olga", "olga@example.org")
    challenge = create_listed_challenge("Board", "board", "", organizer)
    task = creation.create_task(challenge, "GN", Kind.NORMALIZATION, "Genes")
    phase = creation.create_phase_claiming_blind_corpus(challenge, "training", corpus)
    gold = "".join(
        f"{article.pmid}\t{NAMES[(number * 37 + item * 5) % PROTEINS]}\n"
        for number, article in enumerate(articles)
        for item in range(1 + number % 9)
    )
    store_gold_sealed_or_open(task, phase, gold.encode(), "gold.tsv")
    phase.published = timezone.now()
    phase.save()
    return task, phase, [Team.objects.create(name=f"Team {n}", slug=f"team-{n}") for n in range(10)], articles


def make_run(task, phase, team, number):
    from annotations.results.models import Producer
    from evaluation.runs.models import Run

    producer = Producer.objects.create(sort="run", name=f"Run {number}", public=True)
    return Run.objects.create(task=task, phase=phase, team=team, producer=producer, name=f"Run {number}", sort="upload")


def store_annotations(run, articles, per_article):
    """Of every third annotation of an article, the first ones are right."""
    from annotations.results.bulk_storage import supersede_results_in_bulk_counting_annotations
    from annotations.schema import AnnotationData, Kind

    def make_annotation(number, rank):
        item = number * 37 + (rank // 3 * 5 if rank % 3 == 0 else 41 + rank)
        name = NAMES[item % PROTEINS]
        return AnnotationData(Kind.NORMALIZATION, 1 / (rank + 1), rank + 1, database="uniprot", identifier=name)

    by_article = {
        own.pk: [make_annotation(number, rank) for rank in range(per_article)] for number, own in enumerate(articles)
    }
    return supersede_results_in_bulk_counting_annotations(run.producer, Kind.NORMALIZATION, by_article)


def read_annotations(run):
    from annotations.results.models import Annotation

    return list(Annotation.objects.filter(result__producer=run.producer).values_list("result__article", "identifier"))


def make_ranked_hits(number, articles):
    """The hits of a run: the higher its number, the worse it is."""
    from evaluation.measures.lists.ranking import RankedHits

    gold, rng = np.array([1 + each % 9 for each in range(articles)]), np.random.default_rng(number)
    lengths = rng.integers(0, 11, articles)
    article, right = np.repeat(np.arange(articles), lengths), rng.random(int(lengths.sum())) < 0.6 - number / 300
    before = np.concatenate([[0], np.cumsum(right)])[np.cumsum(lengths) - lengths]
    right &= np.cumsum(right) - np.repeat(before, lengths) <= gold[article]
    return RankedHits(right, lengths, gold)


def score_other_runs(task, phase, teams, first, runs, articles):
    """The other runs with the scores that a worker would store."""
    from evaluation.analyses.scores.leaderboard_scores import (
        BOOTSTRAP_SAMPLES,
        score_each_scenario_with_bootstrap_intervals,
    )
    from evaluation.measures.leaderboard_figures import compute_micro_and_gold_only_macro_figures
    from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO
    from evaluation.measures.lists.scenarios import EvaluatedRun
    from evaluation.scoring.models import Score

    model = first.scores.get(scenario=OFFICIAL_SCENARIO)
    for number in range(1, runs):
        run = make_run(task, phase, teams[number % len(teams)], number)
        evaluated = EvaluatedRun(make_ranked_hits(number, articles), None, None, articles, ())
        [own] = score_each_scenario_with_bootstrap_intervals(
            [(OFFICIAL_SCENARIO, evaluated)], compute_micro_and_gold_only_macro_figures, SAMPLES, 1
        )
        Score.objects.create(
            run=run,
            gold=model.gold,
            figures=dict(own.values),
            intervals={name: list(interval) for name, interval in own.intervals.items()},
            curve=own.curve,
            table=own.table,
            articles=articles,
            answered=max(articles - number, 0),
            samples=BOOTSTRAP_SAMPLES,
            seed=1,
            checksum=model.checksum,
            version=model.version,
            signature=model.signature,
            seen=model.seen,
            confidence=0.5,
            seconds_mean=1.0 + number,
            seconds_median=1.0 + number,
            seconds_slowest=9.0 + number,
        )


def prepare_site():
    """Count the rows and merge the pending lists of indexes, as happens on a site within a minute or two, and load the
    addresses of pages, as a worker does once.
    """
    from django.db import connection
    from django.urls import reverse

    from annotations.search.pending_index_lists import flush_pending_gin_lists_counting_pages

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    flush_pending_gin_lists_counting_pages()
    reverse("home")


def fill_board(runs, number_of_articles, per_article):
    """Store and score the first run, add the others and compare all."""
    from evaluation.leaderboards import ranking_tests
    from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO
    from evaluation.runs.models import Run
    from evaluation.scoring.models import Score
    from evaluation.scoring.run_scores import compute_and_store_run_scores

    task, phase, teams, articles = make_board(number_of_articles)
    first = make_run(task, phase, teams[0], 0)
    prepare_site()
    _, lines = measure_seconds("storing a run", lambda: store_annotations(first, articles, per_article))
    reading, _ = measure_seconds("reading its annotations", lambda: read_annotations(first))
    own = Run.objects.select_related("task", "phase__corpus").get(pk=first.pk)
    scoring, _ = measure_seconds(
        f"scoring {lines:,} lines in all scenarios", lambda: compute_and_store_run_scores(own), SCORE_S
    )
    print_ratio("scoring a run / reading its annotations", scoring, reading)
    print(f"  {own.scores.count()} scenarios: {', '.join(own.scores.values_list('scenario', flat=True))}")
    score_other_runs(task, phase, teams, first, runs, number_of_articles)
    prepare_site()
    Score.objects.exclude(scenario=OFFICIAL_SCENARIO).delete()
    (stale,) = ranking_tests.list_boards_with_outdated_rankings()
    comparing, _ = measure_seconds(
        f"comparing {runs} runs by two measures", lambda: ranking_tests.store_rankings_of_stale_board(stale)
    )
    print_ratio("comparing all runs / scoring one", comparing, scoring)


def measure_pages(times):
    from django.test import Client

    # Sets up the garbage collector as that of the web server.
    from bcms import wsgi  # noqa: F401
    from evaluation.scoring.models import Score

    client, address = Client(), "/challenges/board/training/GN/"
    page = client.get(address)
    print(f"{page.content.count(b'<tr class')} rows, {len(page.content) / 1000:,.0f} kB")
    version = page.context["board"].version
    reading = print_times("scores alone", lambda: list(Score.objects.defer("table", "curve")), times)
    for name, path in (
        ("page", address),
        ("page, micro", f"{address}?average=micro"),
        ("poll, all new", f"{address}live/?v=0"),
        ("poll, nothing new", f"{address}live/?v={version}"),
        ("CSV", f"{address}leaderboard.csv"),
        ("API", "/api/v1/challenges/board/training/GN/"),
        ("pairwise comparison", f"{address}pairs/"),
    ):
        status = client.get(path).status_code
        assert status in (200, 204), f"{path} answered with {status}"
        median = print_times(name, lambda path=path: client.get(path), times)
        print_ratio(f"{name} / reading the scores alone", median, reading)


def main(runs: int = 100, articles: int = 6000, per_article: int = 25, times: int = 60) -> None:
    with set_up_empty_site():
        fill_board(runs, articles, per_article)
        measure_pages(times)


if __name__ == "__main__":
    run_main(main)
