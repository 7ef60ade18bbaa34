"""How long importing PubMed files takes, and how much memory: python -m tests.benchmarks.import_citations FILE ...

A fresh database from the services' wheels, or the empty one that DATABASE_URL names.
"""

import os
import resource
import sys
import time
from pathlib import Path

import django
from django.core.management import call_command

from bcms.local import services


def report(paths: list[Path]) -> None:
    from annotations.importing import ImportCounts, import_file
    from annotations.models import Article

    begun = time.perf_counter()
    total = ImportCounts()
    for path in paths:
        start = time.perf_counter()
        counts = import_file(path)
        total += counts
        print(f"{path.name}: {counts}, {time.perf_counter() - start:.1f} s")
    seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{total.stored:,} citations in {seconds:.1f} s, {total.stored / seconds:,.0f} a second, peak {peak:.0f} MB")
    print(f"{Article.objects.count():,} articles in the database")


def main(arguments: list[str]) -> None:
    if not arguments:
        sys.exit("Name the PubMed XML files to import.")
    with services.temporary() as environment:
        os.environ.setdefault("SECRET_KEY", "only-for-benchmarks")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
        os.environ.update(environment)
        django.setup()
        call_command("migrate", verbosity=0)
        report([Path(argument) for argument in arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
