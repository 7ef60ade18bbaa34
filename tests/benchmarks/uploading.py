"""How long a run of 150,000 lines takes to be checked, stored and scored with intervals:
python -m tests.benchmarks.uploading [--kind mention]

6,000 articles with 25 results each, drawn from a fixed seed: ranked genes, or with `--kind mention` the spans of genes,
of which a gold standard accepts alternatives. The ratios compare with copying the same lines into a table of the
database.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO

from evaluation.runs.uploads.submission import RunSubmission
from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site

SEED, GENES, RIGHT = 20_100_307, 4_000, 3
MOST_SECONDS = 10.0


@dataclass(frozen=True)
class UploadFiles:
    """A run, the gold standard of which it finds a part, and its alternatives."""

    run: bytes
    gold: bytes
    alternatives: bytes = b""


def make_normalizations(articles: int, per_article: int) -> UploadFiles:
    chance = random.Random(SEED)
    run, gold = [], []
    for article in range(1, articles + 1):
        genes = chance.sample(range(1, GENES), per_article)
        gold += [f"{article}\t{gene}\n" for gene in [*genes[:RIGHT:2], GENES + article]]
        confidences = sorted((chance.uniform(0.01, 1) for _ in genes), reverse=True)
        ranked = enumerate(zip(genes, confidences, strict=True), 1)
        run += [f"{article}\t{gene}\t{rank}\t{confidence:.6f}\n" for rank, (gene, confidence) in ranked]
    return UploadFiles("".join(run).encode(), "".join(gold).encode())


def make_mentions(articles: int, per_article: int) -> UploadFiles:
    """A word of ten letters is a gene."""
    chance = random.Random(SEED)
    run, gold, alternatives = [], [], []
    for article in range(1, articles + 1):
        for start in range(0, 10 * per_article, 10):
            shift, length = chance.choice((0, 0, 1)), chance.choice((5, 7, 9))
            run.append(f"{article}|{start + shift} {start + length}|\n")
            if chance.random() < 1 / 3:
                gold.append(f"{article}|{start} {start + 9}|\n")
                alternatives.append(f"{article}|{start} {start + 7}|\n")
    return UploadFiles(*("".join(lines).encode() for lines in (run, gold, alternatives)))


def make_challenge(kind: str, files: UploadFiles, articles: int, per_article: int):
    """The task and phase with their articles, and a team with its member, who does not organize the challenge."""
    from django.contrib.auth.models import User

    from annotations.articles.models import Article, Corpus, CorpusArticle
    from annotations.schema import Kind
    from evaluation.challenges.setup import creation
    from evaluation.gold.alternatives import AlternativesFile
    from evaluation.gold.storage import store_gold_sealed_or_open
    from servers.teams.models import Membership, Team
    from tests.integration.evaluation_cast import create_listed_challenge

    organizer = User.objects.create_user("olga", "olga@example.org")
    member = User.objects.create_user("ada", "ada@example.org")
    team = Team.objects.create(name="Ada", slug="ada")
    Membership.objects.create(team=team, user=member, role="manager")
    corpus = Corpus.objects.create(slug="many", name="Many")
    text = "T" * (10 * per_article)
    created = Article.objects.bulk_create(
        Article(pmid=pmid, passages=[{"type": "title", "text": text}], text=text, content_hash=f"{pmid:064d}")
        for pmid in range(1, articles + 1)
    )
    CorpusArticle.objects.bulk_create(
        CorpusArticle(corpus=corpus, article=own, position=position) for position, own in enumerate(created)
    )
    challenge = create_listed_challenge("Benchmark", "benchmark", "", organizer)
    task = creation.create_task(challenge, "GENES", Kind(kind), "Genes")
    phase = creation.create_phase_claiming_blind_corpus(challenge, "training", corpus)
    alternatives = AlternativesFile(files.alternatives, "ALTGENE") if files.alternatives else None
    store_gold_sealed_or_open(task, phase, files.gold, "gold.tsv", alternatives)
    return task, phase, team, member


def measure_seconds(what: str, work: Callable[[], object]) -> float:
    """Print the seconds, and how many of them this process computed, which a busy machine changes less."""
    start, processor = time.perf_counter(), time.process_time()
    result = work()
    seconds = time.perf_counter() - start
    print(f"{what}: {seconds:.2f} s, {time.process_time() - processor:.2f} s of them computing here ({result})")
    return seconds


def copy_lines(content: bytes) -> int:
    """Copy the lines into a temporary table and count them."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE lines (line text)")
        cursor.copy_expert("COPY lines FROM STDIN (DELIMITER E'\\x01')", BytesIO(content))
        cursor.execute("SELECT count(*) FROM lines")
        return cursor.fetchone()[0]


def measure_upload(kind: str, articles: int, per_article: int) -> None:
    from evaluation.runs.models import Run
    from evaluation.runs.uploads import intake
    from evaluation.scoring.run_scores import compute_and_store_run_scores
    from evaluation.tasks import process_run_uploads_unless_busy

    files = (make_mentions if kind == "mention" else make_normalizations)(articles, per_article)
    task, phase, team, member = make_challenge(kind, files, articles, per_article)
    submission = RunSubmission("Large", "", "large.tsv", files.run)
    print(f"{len(files.run):,} bytes")
    copying = measure_seconds("lines copied alone", lambda: copy_lines(files.run))
    receiving = measure_seconds(
        "received", lambda: intake.store_run_upload_and_process_or_enqueue(submission, task, phase, team, member).state
    )
    # A small run is stored at once, a large one by a worker.
    storing = receiving + measure_seconds("checked and stored", process_run_uploads_unless_busy)
    run = Run.objects.select_related("task", "phase__corpus").get()
    scoring = measure_seconds("scored with intervals", lambda: compute_and_store_run_scores(run))
    print(f"{storing + scoring:.2f} s, {(storing + scoring) / MOST_SECONDS:.0%} of {MOST_SECONDS:.0f} s, the limit")
    print_ratio("checking and storing / copying the lines", storing, copying)
    print_ratio("scoring with intervals / copying the lines", scoring, copying)


def main(kind: str = "normalization", articles: int = 6_000, per_article: int = 25) -> None:
    with set_up_empty_site():
        measure_upload(kind, articles, per_article)


if __name__ == "__main__":
    run_main(main)
