"""How fast a leaderboard of 100 runs opens, and how long scoring one run and comparing all of them takes.

    DATABASE_URL=... REDIS_URL=... SECRET_KEY=x python -m tests.benchmarks.leaderboard [RUNS]

6,000 articles, 12 measures. One run of 150,000 lines is stored and scored in every scenario, as a worker does it; the
others are on the board with the scores that a worker would store of them. Prints the median and the 95th percentile in
milliseconds of the page, the poll, the files and the API inside the process, each as a share of 300 ms, and the seconds
of scoring the one run, as a share of 10 s, and of comparing all. Works on a database of its own. The data are made by a
rule from one seed.
"""

import os
import statistics
import sys
import time

import django
import numpy as np

RUNS, ARTICLES, PER_ARTICLE, PROTEINS, TURNS = 100, 6000, 25, 5000, 60
PAGE_MS, SCORE_S = 300.0, 10.0
NAMES = [f"P{number:05}" for number in range(PROTEINS)]
TAXA = (9606, 10090, 4932)


def milliseconds(work):
    """Of the clock, and of the processor, which tell more where others use the machine too."""
    started, processor = time.perf_counter(), time.process_time()
    work()
    return 1000 * (time.perf_counter() - started), 1000 * (time.process_time() - processor)


def seconds(name, work, aim=None):
    started, processor = time.perf_counter(), time.process_time()
    result = work()
    own = time.perf_counter() - started
    share = f"   {own / aim:.2f} of the aim" if aim else ""
    print(f"{name:<44} {own:7.2f} s, {time.process_time() - processor:.2f} s of processor{share}", flush=True)
    return result


def measure(name, request):
    assert request().status_code in (200, 204)
    clock, processor = zip(*(milliseconds(request) for _ in range(TURNS)), strict=True)
    p95 = statistics.quantiles(clock, n=20)[-1]
    print(
        f"{name:<20} p50 {statistics.median(clock):6.1f} ms   p95 {p95:6.1f} ms, {p95 / PAGE_MS:.2f} of the aim"
        f"   processor p95 {statistics.quantiles(processor, n=20)[-1]:6.1f} ms",
        flush=True,
    )


def board():
    """A published board with a gold standard of one to nine proteins an article, and its team."""
    from django.contrib.auth import get_user_model
    from django.utils import timezone

    from annotations.kinds import Kind
    from annotations.models import Article, Corpus, CorpusArticle, Entry
    from evaluation import challenges
    from evaluation.gold import store_gold
    from servers.models import Team

    entries = [
        Entry(database="uniprot", identifier=name, taxon=TAXA[number % 3], exists=True)
        for number, name in enumerate(NAMES)
    ]
    entries += [Entry(database="uniprot", identifier=f"N{name}_HUMAN", successors=[name]) for name in NAMES]
    Entry.objects.bulk_create(entries, batch_size=2000)
    articles = Article.objects.bulk_create(
        Article(pmid=30_000_000 + number, passages=[{"type": "title", "text": "T"}], text="T", content_hash="0" * 64)
        for number in range(ARTICLES)
    )
    corpus = Corpus.objects.create(slug="board", name="Board")
    rows = (CorpusArticle(corpus=corpus, article=own, position=place) for place, own in enumerate(articles))
    CorpusArticle.objects.bulk_create(rows)
    challenge = challenges.create_challenge(
        "Board", "board", "", get_user_model().objects.create_user("olga", "olga@example.org")
    )
    task = challenges.add_task(challenge, "GN", Kind.NORMALIZATION, "Genes")
    phase = challenges.add_phase(challenge, "training", corpus)
    gold = "".join(
        f"{article.pmid}\t{NAMES[(number * 37 + place * 5) % PROTEINS]}\n"
        for number, article in enumerate(articles)
        for place in range(1 + number % 9)
    )
    store_gold(task, phase, gold.encode(), "gold.tsv")
    phase.published = timezone.now()
    phase.save()
    return task, phase, [Team.objects.create(name=f"Team {n}", slug=f"team-{n}") for n in range(10)], articles


def run_of(task, phase, team, number):
    from annotations.models import Producer
    from evaluation.models import Run

    producer = Producer.objects.create(sort="run", name=f"Run {number}", public=True)
    return Run.objects.create(task=task, phase=phase, team=team, producer=producer, name=f"Run {number}", sort="upload")


def store_lines(run, articles):
    """150,000 lines, every third of the first ones right."""
    from annotations.bulk_storing import store_many
    from annotations.kinds import Finding, Kind

    def finding(number, place):
        item = number * 37 + (place // 3 * 5 if place % 3 == 0 else 41 + place)
        name = NAMES[item % PROTEINS]
        return Finding(Kind.NORMALIZATION, 1 / (place + 1), place + 1, database="uniprot", identifier=name)

    said = {own.pk: [finding(number, place) for place in range(PER_ARTICLE)] for number, own in enumerate(articles)}
    return store_many(run.producer, Kind.NORMALIZATION, said)


def score_others(task, phase, teams, first, runs):
    """The other runs with the scores that a worker would store: the higher its number, the worse a run is."""
    from evaluation.analyses.board_scores import SAMPLES, in_scenario
    from evaluation.measures.ranking import RankedHits
    from evaluation.measures.scenarios import Evaluated
    from evaluation.models import Score

    gold = np.array([1 + number % 9 for number in range(ARTICLES)])
    model = first.scores.get(scenario="all")
    for number in range(1, runs):
        run, rng = run_of(task, phase, teams[number % len(teams)], number), np.random.default_rng(number)
        lengths = rng.integers(0, 11, ARTICLES)
        article, right = np.repeat(np.arange(ARTICLES), lengths), rng.random(int(lengths.sum())) < 0.6 - number / 300
        before = np.concatenate([[0], np.cumsum(right)])[np.cumsum(lengths) - lengths]
        right &= np.cumsum(right) - np.repeat(before, lengths) <= gold[article]
        ranked = RankedHits(right, lengths, gold)
        own = in_scenario("all", Evaluated(ranked, None, None, ARTICLES, ()), 40, 1)
        Score.objects.create(
            run=run,
            gold=model.gold,
            figures=dict(own.values),
            intervals={name: list(interval) for name, interval in own.intervals.items()},
            curve=own.curve,
            table=own.table,
            articles=ARTICLES,
            answered=ARTICLES - number,
            samples=SAMPLES,
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


def run(runs):
    from django.db import connection
    from django.test import Client

    from evaluation import rankings
    from evaluation.models import Run, Score
    from evaluation.scoring import score_run

    task, phase, teams, articles = board()
    first = run_of(task, phase, teams[0], 0)
    lines = seconds("storing a run", lambda: store_lines(first, articles))
    own = Run.objects.select_related("task", "phase__corpus").get(pk=first.pk)
    seconds(f"scoring {lines:,} lines in all scenarios", lambda: score_run(own), SCORE_S)
    print(f"  {own.scores.count()} scenarios: {', '.join(own.scores.values_list('scenario', flat=True))}")
    score_others(task, phase, teams, first, runs)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    Score.objects.exclude(scenario="all").delete()
    (stale,) = rankings.stale_boards()
    seconds(f"comparing {runs} runs by two measures", lambda: rankings.rank_board(stale))
    client, address = Client(), "/challenges/board/training/GN/"
    page = client.get(address)
    print(f"{page.content.count(b'<tr class')} rows, {len(page.content) / 1000:,.0f} kB")
    version = page.context["board"].version
    for name, path in (
        ("page", address),
        ("page, micro", f"{address}?average=micro"),
        ("poll, all new", f"{address}live/?v=0"),
        ("poll, nothing new", f"{address}live/?v={version}"),
        ("CSV", f"{address}leaderboard.csv"),
        ("API", "/api/v1/challenges/board/training/GN/"),
        ("every two runs", f"{address}pairs/"),
    ):
        measure(name, lambda path=path: client.get(path))


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
    django.setup()
    from django.test.utils import get_runner, setup_test_environment, teardown_test_environment

    setup_test_environment()
    from django.conf import settings

    runner = get_runner(settings)(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        run(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
    finally:
        runner.teardown_databases(databases)
        teardown_test_environment()


if __name__ == "__main__":
    main()
