"""How long a run of 150,000 lines takes to be checked, stored and scored with intervals, in one run:
python -m tests.benchmarks.uploading [mentions]

6,000 articles with 25 results each, drawn from a fixed seed: ranked genes, or with `mentions` the places of genes, of
which a gold standard accepts alternatives; a fresh database from the services' wheels, or the empty
one that DATABASE_URL names.
"""

import os
import random
import sys
import time
from collections.abc import Callable

import django
from django.core.management import call_command

from bcms.local import services

ARTICLES, LINES, GENES, RIGHT = 6_000, 150_000, 4_000, 3
MOST_SECONDS = 10.0


def made_up() -> tuple[bytes, bytes]:
    """A run and the gold standard of which it finds a part."""
    chance = random.Random(20_100_307)
    run, gold = [], []
    for article in range(1, ARTICLES + 1):
        genes = chance.sample(range(1, GENES), LINES // ARTICLES)
        gold += [f"{article}\t{gene}\n" for gene in [*genes[:RIGHT:2], GENES + article]]
        confidences = sorted((chance.uniform(0.01, 1) for _ in genes), reverse=True)
        ranked = enumerate(zip(genes, confidences, strict=True), 1)
        run += [f"{article}\t{gene}\t{rank}\t{sure:.6f}\n" for rank, (gene, sure) in ranked]
    return "".join(run).encode(), "".join(gold).encode()


def made_up_mentions() -> tuple[bytes, bytes, bytes]:
    """A run, the gold standard of which it finds a part, and its alternatives; a word of ten letters is a gene."""
    chance = random.Random(20_100_307)
    run, gold, accepted = [], [], []
    for article in range(1, ARTICLES + 1):
        for place in range(0, 10 * LINES // ARTICLES, 10):
            shift, length = chance.choice((0, 0, 1)), chance.choice((5, 7, 9))
            run.append(f"{article}|{place + shift} {place + length}|\n")
            if chance.random() < 1 / 3:
                gold.append(f"{article}|{place} {place + 9}|\n")
                accepted.append(f"{article}|{place} {place + 7}|\n")
    return "".join(run).encode(), "".join(gold).encode(), "".join(accepted).encode()


def challenge(kind: str, gold: bytes, accepted: bytes):
    """The task and phase with their articles, and a team with its member."""
    from django.contrib.auth.models import User

    from annotations.kinds import Kind
    from annotations.models import Article, Corpus, CorpusArticle
    from evaluation import challenges
    from evaluation.gold import store_gold
    from evaluation.mentions.alternatives import AlternativesFile
    from servers.models import Membership, Team

    user = User.objects.create_user("ada", "ada@example.org")
    team = Team.objects.create(name="Ada", slug="ada")
    Membership.objects.create(team=team, user=user, role="manager")
    corpus = Corpus.objects.create(slug="many", name="Many")
    text = "T" * (10 * LINES // ARTICLES)
    articles = Article.objects.bulk_create(
        Article(pmid=pmid, passages=[{"type": "title", "text": text}], text=text, content_hash=f"{pmid:064d}")
        for pmid in range(1, ARTICLES + 1)
    )
    CorpusArticle.objects.bulk_create(
        CorpusArticle(corpus=corpus, article=own, position=place) for place, own in enumerate(articles)
    )
    made = challenges.create_challenge("Benchmark", "benchmark", "", user)
    task = challenges.add_task(made, "GENES", Kind(kind), "Genes")
    phase = challenges.add_phase(made, "training", corpus)
    store_gold(task, phase, gold, "gold.tsv", AlternativesFile(accepted, "ALTGENE") if accepted else None)
    return task, phase, team, user


def timed(what: str, do: Callable[[], object]) -> float:
    """Seconds; beside them what of it this process computed, which a busy machine changes less."""
    begun, computed = time.perf_counter(), time.process_time()
    said = do()
    seconds = time.perf_counter() - begun
    print(f"{what}: {seconds:.2f} s, {time.process_time() - computed:.2f} s of them computing here ({said})")
    return seconds


def measure(kind: str) -> float:
    """Seconds that the two workers need together."""
    from evaluation import runs
    from evaluation.models import Run
    from evaluation.scoring import score_run
    from evaluation.tasks import take_uploads

    content, gold, accepted = made_up_mentions() if kind == "mention" else (*made_up(), b"")
    task, phase, team, user = challenge(kind, gold, accepted)
    sent = runs.Sent("Large", "", "large.tsv", content)
    print(f"{len(content):,} bytes")
    timed("received", lambda: runs.upload(sent, task, phase, team, user).state)
    taking = timed("checked and stored", take_uploads)
    run = Run.objects.select_related("task", "phase__corpus").get()
    return taking + timed("scored with intervals", lambda: score_run(run))


def main() -> None:
    with services.temporary() as environment:
        os.environ.setdefault("SECRET_KEY", "only-for-benchmarks")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
        os.environ.update(environment)
        django.setup()
        call_command("migrate", verbosity=0)
        seconds = measure("mention" if sys.argv[1:] == ["mentions"] else "normalization")
    print(
        f"Taken in and scored: {seconds:.2f} s, {seconds / MOST_SECONDS:.0%} of {MOST_SECONDS:.0f} s, which are allowed"
    )


if __name__ == "__main__":
    main()
