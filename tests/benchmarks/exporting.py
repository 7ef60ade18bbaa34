"""How fast articles go out, and in how much memory: python -m tests.benchmarks.exporting [ARTICLES [FORMAT ...]]

10,000 abstracts that eight servers annotated, in a fresh database from the services' wheels. Prints for each format the
articles a second, as a share of reading them alone, the size, and by how many MB memory grows above what it was before,
for all articles and for a tenth of them: that the two do not differ shows that no more than a batch is held.
"""

import os
import re
import sys
import time
from pathlib import Path

import django
from django.core.management import call_command

from bcms.local import services

MADE = 500


def copies(times):
    """Every article and all that is said of it so many times more, with numbers of their own."""
    from annotations.articles.models import Article
    from annotations.results.models import Annotation, Result

    for number in range(1, times):
        copy(Article, {"id": 10**6 * number, "pmid": 10**6 * number}, f"substr(md5(id || '-{number}'), 1, 17)")
        copy(Result, {"id": 10**8 * number, "article_id": 10**6 * number})
        copy(Annotation, {"result_id": 10**8 * number})


def copy(model, shifts, opaque="opaque"):
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
        cursor.execute(f'INSERT INTO {table} ({quoted}) SELECT {values} FROM {table} WHERE "{key}" < 1000000')


def peak_since_reset():
    """The most memory in MB since clear_refs was told to forget (Linux)."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024


def measured(pieces):
    """Seconds, bytes, and MB by which memory grew above what it was, and that it was at most."""
    Path("/proc/self/clear_refs").write_text("5")
    before, begun, size = peak_since_reset(), time.perf_counter(), 0
    for piece in pieces:
        size += len(piece)
    most = peak_since_reset()
    return time.perf_counter() - begun, size, most - before, most


def report(count, slugs):
    from django.db import connection

    from annotations.articles.models import Article
    from annotations.formats.exports import EXPORTS
    from annotations.results.models import Annotation
    from bcms.search.exports.download_responses import iter_gzipped
    from bcms.search.exports.exported_articles import (
        ExportFilter,
        iter_article_keys,
        iter_exported_articles,
        list_public_articles,
    )
    from tests.benchmarks.annotated_articles import fill

    fill(MADE, 8)
    copies(count // MADE)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    total = Article.objects.count()
    print(f"{total:,} articles, {Annotation.objects.count():,} annotations")

    def articles(most=count):
        return iter_exported_articles(
            iter_article_keys(list_public_articles().filter(pk__lt=10**6 * (most // MADE))), ExportFilter()
        )

    measured("" for _ in articles(MADE))
    alone, *_, most = measured("" for _ in articles())
    print(f"{'read alone':<20} {total / alone:6.0f} articles/s, at most {most:.0f} MB")
    for export in (EXPORTS[slug] for slug in slugs or EXPORTS):
        few = measured(export.write(articles(count // 10)))
        seconds, size, grown, most = measured(export.write(articles()))
        told = f"{total / seconds:6.0f} articles/s  {alone / seconds:4.2f} of reading  {size / 2**20:6.1f} MB"
        print(f"{export.slug:<20} {told}  grew {grown:5.1f} to {most:.0f} MB, of a tenth {few[2]:5.1f} MB", flush=True)
    seconds, size, grown, most = measured(iter_gzipped(EXPORTS["ndjson"].write(articles())))
    told = f"{total / seconds:6.0f} articles/s  {alone / seconds:4.2f} of reading  {size / 2**20:6.1f} MB"
    print(f"{'ndjson, gzipped':<20} {told}  grew {grown:5.1f} to {most:.0f} MB")


def main(arguments):
    with services.run_temporary_services() as environment:
        os.environ.setdefault("SECRET_KEY", "only-for-benchmarks")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
        os.environ.update(environment)
        django.setup()
        call_command("migrate", verbosity=0)
        report(int(arguments[0]) if arguments else 10_000, arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
