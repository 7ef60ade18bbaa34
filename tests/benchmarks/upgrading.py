"""An upgrade of a full site: how long each migration takes, and for how long readers and workers wait meanwhile.

    python -m tests.benchmarks.upgrading FOLDER [--articles 22730] [--times 10]

Loads the silver standard (tests/benchmarks/silver) ten times, takes the database back to what a site had before the
migrations since `[earlier]` in tests/integration/bcms/database/migration_locks.toml, and migrates it while visitors
read articles and search, and a worker stores results. Prints the seconds of each migration, and the slowest page and
the slowest stored result while they ran and before.
"""

import random
import threading
import time
import tomllib
from itertools import count
from pathlib import Path

from bcms.silver.annotation_files import write_annotation_files_unless_present
from bcms.silver.variants import ABSTRACTS
from tests.benchmarks.archives import get_archives
from tests.benchmarks.command_line import run_main
from tests.benchmarks.django_setup import set_up_empty_site

LOCKS = Path(__file__).parents[1] / "integration/bcms/database/migration_locks.toml"
APPS = ("annotations", "bcms", "evaluation", "servers")
VISITORS = 2


class Traffic:
    """What people and workers do without a pause; seconds: of each page and each stored result, by name."""

    def __init__(self):
        self.stopped = threading.Event()
        self.seconds = {"page": [], "search": [], "stored result": []}
        self.errors = []
        works = [self.read_pages] * VISITORS + [self.store_results]
        self.threads = [threading.Thread(target=self.run, args=(work, number)) for number, work in enumerate(works)]
        for thread in self.threads:
            thread.start()

    def run(self, work, number):
        from django.db import connection

        try:
            for act in work(random.Random(number)):
                if self.stopped.is_set():
                    return
                name, start = act.__name__, time.perf_counter()
                act()
                self.seconds[name.replace("_", " ")].append(time.perf_counter() - start)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is the result
            self.errors.append(repr(error))
        finally:
            connection.close()

    def read_pages(self, chance):
        from django.test import Client

        from annotations.articles.models import Article

        # With a cookie: pages that are kept for other visitors are of the newest version only.
        client = Client(SERVER_NAME="localhost")
        client.cookies["reader"] = "1"
        pmids = list(Article.objects.values_list("pmid", flat=True)[:50_000])

        def page():
            assert client.get(f"/articles/{chance.choice(pmids)}/").status_code == 200

        def search():
            assert client.get("/articles/", {"q": chance.choice(["binding", "kinase", "membrane"])}).status_code == 200

        while True:
            yield page
            yield page
            yield search

    def store_results(self, chance):
        from annotations.articles.models import Article
        from annotations.results.models import Producer
        from annotations.results.storage import store_results_superseding_earlier
        from annotations.schema import AnnotationData, Kind

        articles = list(Article.objects.order_by("pk")[:2000])
        producer = Producer.objects.create(sort="run", name="Worker")
        annotations = [AnnotationData(Kind.NORMALIZATION, database="entrezgene", identifier=str(n)) for n in range(20)]

        def stored_result():
            store_results_superseding_earlier(chance.choice(articles), producer, {Kind.NORMALIZATION: annotations})

        for _ in count():
            yield stored_result

    def take_seconds(self):
        """The seconds since the last time, by name."""
        taken, self.seconds = self.seconds, {name: [] for name in self.seconds}
        return taken

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join()


def go_back_to_earlier_migrations():
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    earlier = tomllib.loads(LOCKS.read_text())["earlier"]
    MigrationExecutor(connection).migrate([(app, earlier[app]) for app in APPS])


def print_slowest(when, seconds):
    for name, values in seconds.items():
        print(f"{when:<18} {name:<14} slowest {1000 * max(values, default=0):6.0f} ms of {len(values):,}")


def main(folder: Path, articles: int = ABSTRACTS, times: int = 10, archives: str = "", calm: float = 20.0) -> None:
    """folder: where the annotations are kept; calm: seconds before the migrations"""
    files, kept = get_archives(archives), folder / str(articles)
    write_annotation_files_unless_present(files, kept, articles)
    with set_up_empty_site():
        from django.core.management import call_command

        from tests.benchmarks.silver.loading import load_silver_standard

        load_silver_standard(files, kept, times)
        go_back_to_earlier_migrations()
        traffic = Traffic()
        # Modules are loaded with the first pages.
        time.sleep(calm / 2)
        traffic.take_seconds()
        time.sleep(calm / 2)
        before = traffic.take_seconds()
        call_command("migrate")
        during = traffic.take_seconds()
        traffic.stop()
        print_slowest("before", before)
        print_slowest("while migrating", during)
        print(f"errors: {traffic.errors or 'none'}")


if __name__ == "__main__":
    run_main(main)
