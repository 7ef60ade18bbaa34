"""How fast entries are suggested while somebody types, among 250,000 of them.

    python -m tests.benchmarks.entry_suggestions [--entries 250000] [--tables FOLDER]

Loads tables of entries, and prints how long that takes and how large each index becomes. Then, for each sort of text
and for all, the median, the 95th percentile and the longest time in milliseconds of the whole request to
/api/v1/entries/ inside the process, the processor time of one, and how often the entry that was meant is among the
first ten. The aim is 100 ms at the 95th percentile over all. The texts are names of every nth entry, or made of them
with a seed, so two runs on the same tables ask the same. --tables: a folder with gene_info.*.tsv.gz of NCBI and
homologene*.tsv.gz; without it, all entries are made up. --best-of 3 takes the fastest of three requests for each text,
on a machine that has other things to do meanwhile. The ratios compare with reading all entries once.
"""

import random
import statistics
import string
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site
from tests.benchmarks.many_entries import SEED, list_tables
from tests.benchmarks.spent import measure_time

ORGANISM_WORDS = {9606: "human", 10090: "mouse", 10116: "rat", 7955: "zebrafish", 7227: "fruit fly", 4932: "yeast"}
SIZES = "SELECT indexrelname, pg_relation_size(indexrelid) FROM pg_stat_user_indexes WHERE relname = %s ORDER BY 1"
ANNOTATE = """
    INSERT INTO annotations_annotatedterm (category, value, articles)
    SELECT 'entity', database || ':' || identifier, 1 + 100000 / (1 + id * 7919 % 99991)
    FROM annotations_entry WHERE id % 4 = 0
"""


def load_tables(tables, entries):
    from annotations.identifiers.entry_storage import store_identifier_table_all_or_none

    with tempfile.TemporaryDirectory() as folder:
        paths = list_tables(tables, entries, Path(folder))
        with measure_time() as spent:
            number = sum(store_identifier_table_all_or_none(path).entries for path in paths)
    print(f"{number:,} entries loaded in {spent}")
    return spent


def print_sizes():
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(ANNOTATE)
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SELECT pg_table_size('annotations_entry')")
        print(f"{'table of entries':<30}{cursor.fetchone()[0] / 1e6:8.1f} MB")
        cursor.execute(SIZES, ["annotations_entry"])
        for name, size in cursor.fetchall():
            print(f"{name:<30}{size / 1e6:8.1f} MB")


def measure_reading():
    """Milliseconds."""
    from annotations.identifiers.models import Entry

    start = time.perf_counter()
    for _ in Entry.objects.values_list("database", "identifier", "symbol", "name", "synonyms").iterator():
        pass
    return 1000 * (time.perf_counter() - start)


def mistype(generator, text):
    """The text with one letter too many, too few or wrong, or two adjacent ones swapped, but not the first one."""
    position = generator.randrange(1, len(text))
    left, right, letter = text[:position], text[position:], generator.choice(string.ascii_lowercase)
    swapped = left + right[1:2] + right[:1] + right[2:]
    return generator.choice((left + letter + right, left + right[1:], left + letter + right[1:], swapped))


def list_meant_entries(sample):
    """Every nth entry, with a name."""
    from annotations.identifiers.models import Entry

    columns = ("database", "identifier", "symbol", "name", "synonyms", "taxon")
    rows = list(Entry.objects.filter(successors=[]).order_by("pk").values_list(*columns))
    rows = [row for row in rows if row[0] != "ncbitaxon" and (row[2] or row[3])]
    return rows[:: max(len(rows) // sample, 1)][:sample]


def write_beginning(generator, symbol, names):
    text = generator.choice([symbol or names[0], *names])
    return text[: generator.randint(2, max(min(len(text), 8), 2))]


def write_mistyped_beginning(generator, symbol, names):
    text = max(names, key=len, default=symbol)
    return mistype(generator, text[: generator.randint(6, 14)]) if len(text) > 5 else text


def write_mistyped_name(generator, symbol, names):
    texts = [name for name in (symbol, *names) if len(name) > 4]
    return mistype(generator, generator.choice(texts)) if texts else symbol


def list_inner_words(generator, names):
    words = [word for name in names for word in name.replace(",", "").split()[1:] if len(word) > 3]
    return generator.sample(words, min(len(words), 2)) or [names[0] if names else "kinase"]


def write_inner_words(generator, symbol, names):
    return " ".join(list_inner_words(generator, names[:1]))


def write_mistyped_inner_words(generator, symbol, names):
    first, *others = list_inner_words(generator, names[:1])
    return " ".join((mistype(generator, first), *others))


def write_gibberish(generator, symbol, names):
    return "".join(generator.choices(string.ascii_lowercase, k=generator.randint(4, 20)))


WRITERS: dict[str, Callable[..., str]] = {
    "a symbol": lambda generator, symbol, names: symbol or names[0],
    "a name": lambda generator, symbol, names: generator.choice(names or [symbol]),
    "a beginning": write_beginning,
    "a mistyped beginning": write_mistyped_beginning,
    "a mistyped name": write_mistyped_name,
    "inner words": write_inner_words,
    "mistyped inner words": write_mistyped_inner_words,
    "gibberish": write_gibberish,
}


def iter_groups(sample):
    """The name of each sort of text, with parameters of requests and the CURIEs that they mean."""
    meant = list_meant_entries(sample)
    for sort, write in WRITERS.items():
        generator = random.Random(f"{SEED} {sort}")
        yield sort, [(write(generator, row[2], [*filter(None, (row[3], *row[4]))]), row) for row in meant]
    yield "a name and an organism", [(f"{row[2] or row[3]} {ORGANISM_WORDS.get(row[5], '')}", row) for row in meant]
    yield "an identifier", [(f"{row[0]}:{row[1]}", row) for row in meant]


def measure_group(client, sort, texts, best_of):
    times, found = [], 0
    with measure_time() as spent:
        for text, row in texts:
            tries = [measure_request(client, text[:500]) for _ in range(best_of)]
            times.append(min(milliseconds for milliseconds, _ in tries))
            found += any((each["database"], each["identifier"]) == row[:2] for each in tries[0][1])
    own, database = (1000 * seconds / len(times) / best_of for seconds in (spent.own, spent.database))
    cpu = f"CPU {own:5.1f} +{database:6.1f}"
    print(f"{sort:<24}{format_percentiles(times)}   {cpu}   found {100 * found / len(texts):3.0f} %", flush=True)
    return times


def measure_request(client, text):
    """Milliseconds, and the entries."""
    start = time.perf_counter()
    response = client.get("/api/v1/entries/", {"q": text})
    return 1000 * (time.perf_counter() - start), response.json()["results"]


def format_percentiles(times):
    p95 = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    return f"{statistics.median(times):8.1f}{p95:8.1f}{max(times):8.1f}"


def measure_suggestions(sample, best_of):
    from django.conf import settings
    from django.test import Client

    settings.API_PER_MINUTE_ADDRESS = 1_000_000
    client, reading, times = Client(SERVER_NAME="localhost"), measure_reading(), []
    client.get("/api/v1/entries/", {"q": "p53"})
    print(f"{'':<24}{'p50':>8}{'p95':>8}{'worst':>8}")
    for sort, texts in iter_groups(sample):
        own = measure_group(client, sort, texts, best_of)
        print_ratio(f"{sort} / reading all entries", statistics.median(own), reading)
        times += own
    print(f"{'all':<24}{format_percentiles(times)}   ({len(times)} texts)")


def main(entries: int = 250_000, sample: int = 100, tables: str = "", best_of: int = 1) -> None:
    with set_up_empty_site():
        load_tables(Path(tables) if tables else None, entries)
        print_sizes()
        measure_suggestions(sample, best_of)


if __name__ == "__main__":
    run_main(main)
