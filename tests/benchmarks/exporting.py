"""How fast articles are exported, and in how much memory: python -m tests.benchmarks.exporting [FORMAT ...]

10,000 abstracts that eight servers annotated. Prints for each format the articles a second, the ratio to reading them
alone, the size, and by how many MB memory grows, for all articles and for a tenth of them: that the two do not differ
shows that no more than a batch is held.
"""

import re
import time
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site

# Primary keys of a copy are so much higher than those of the copy before.
ARTICLE_SHIFT, RESULT_SHIFT = 10**6, 10**8


@dataclass(frozen=True)
class ExportCost:
    """Seconds, bytes, MB by which memory grew, and MB that it was at most."""

    seconds: float
    size: int
    growth: float
    peak: float


def copy_articles(times):
    """Copy every article with all its annotations, so that there are so many times as many."""
    from annotations.articles.models import Article
    from annotations.results.models import Annotation, Result

    for number in range(1, times):
        articles, results = ARTICLE_SHIFT * number, RESULT_SHIFT * number
        copy_rows(Article, {"id": articles, "pmid": articles}, f"substr(md5(id || '-{number}'), 1, 17)")
        copy_rows(Result, {"id": results, "article_id": articles})
        copy_rows(Annotation, {"result_id": results})


def copy_rows(model, shifts, opaque="opaque"):
    from django.db import connection

    table = model._meta.db_table
    fields = [field.column for field in model._meta.concrete_fields if not field.generated]
    names = [name for name in fields if name != "id" or "id" in shifts]
    values = [f"{name} + {shifts[name]}" if name in shifts else opaque if name == "opaque" else name for name in names]
    values = ["NULL" if name == "call" else value for name, value in zip(names, values, strict=True)]
    key = "result_id" if "result_id" in shifts else "id"
    with connection.cursor() as cursor:
        quoted = ", ".join(f'"{name}"' for name in names)
        values = ", ".join(f'"{value}"' if value in names else value for value in values)
        cursor.execute(f'INSERT INTO {table} ({quoted}) SELECT {values} FROM {table} WHERE "{key}" < {ARTICLE_SHIFT}')


def read_peak_memory():
    """The most memory in MB since clear_refs was written to (Linux)."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024


def measure_export(pieces):
    Path("/proc/self/clear_refs").write_text("5")
    before, start, size = read_peak_memory(), time.perf_counter(), 0
    for piece in pieces:
        size += len(piece)
    peak = read_peak_memory()
    return ExportCost(time.perf_counter() - start, size, peak - before, peak)


def print_cost(name, cost, total, reading, note=""):
    print(
        f"{name:<20} {total / cost.seconds:6.0f} articles/s  {cost.size / 2**20:6.1f} MB  "
        f"grew {cost.growth:5.1f} to {cost.peak:.0f} MB{note}",
        flush=True,
    )
    print_ratio(f"speed of {name} / of reading alone", reading.seconds, cost.seconds)


def measure_formats(made, copies, names):
    from django.db import connection

    from annotations.articles.models import Article
    from annotations.formats.exports import EXPORTS
    from annotations.results.models import Annotation
    from bcms.search.exports.download_responses import iter_gzipped
    from bcms.search.exports.exported_articles import (
        ExportFilter,
        iter_public_articles_for_export,
        iter_sorted_article_pks,
        list_public_articles,
    )
    from tests.benchmarks.annotated_articles import make_annotated_articles

    make_annotated_articles(made, 8)
    copy_articles(copies)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    total = Article.objects.count()
    print(f"{total:,} articles, {Annotation.objects.count():,} annotations")

    def iter_articles(most=copies):
        public = list_public_articles().filter(pk__lt=ARTICLE_SHIFT * most)
        return iter_public_articles_for_export(iter_sorted_article_pks(public), ExportFilter())

    measure_export("" for _ in iter_articles(1))
    reading = measure_export("" for _ in iter_articles())
    print(f"{'read alone':<20} {total / reading.seconds:6.0f} articles/s, at most {reading.peak:.0f} MB")
    for export in (EXPORTS[name] for name in names or EXPORTS):
        few = measure_export(export.write(iter_articles(max(copies // 10, 1))))
        cost = measure_export(export.write(iter_articles()))
        print_cost(export.slug, cost, total, reading, f", of a tenth {few.growth:5.1f} MB")
    packed = measure_export(iter_gzipped(EXPORTS["ndjson"].write(iter_articles())))
    print_cost("ndjson, gzipped", packed, total, reading)


def main(*formats: str, made: int = 500, copies: int = 20) -> None:
    with set_up_empty_site():
        measure_formats(made, copies, formats)


if __name__ == "__main__":
    run_main(main)
