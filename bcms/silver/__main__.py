"""Build the silver standard of the seeds at any size: `python -m bcms.silver FOLDER [--articles 22730]`.

The longest abstracts of the demo's archives are annotated by thirteen variations of the reference annotators, as many
annotations in proportion as the first public meta-server had (Leitner et al., Genome Biology 2008; 9(Suppl 2):S6).
Their consensus is built on a site with temporary services and written to FOLDER/ARTICLES in every export format. The
annotations are made once and kept there, too.
"""

import argparse
import os
import sys
from pathlib import Path

from annotations.results.consensus.methods import CONSENSUS_METHODS
from bcms.demo.data_archives import DataArchiveError, download_and_unpack_missing_demo_files
from bcms.local import services
from bcms.local.errors import StartError, format_os_error
from bcms.silver.annotation_files import write_annotation_files_unless_present
from bcms.silver.variants import ABSTRACTS

SETTINGS = {"SECRET_KEY": "temporary", "LOG_LEVEL": "WARNING", "DJANGO_SETTINGS_MODULE": "bcms.settings"}


def _parse_command() -> argparse.Namespace:
    description, _, details = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(prog="python -m bcms.silver", description=description, epilog=details)
    parser.add_argument("folder", type=Path, help="where the annotations and files are written")
    parser.add_argument("--articles", type=int, default=ABSTRACTS, help=f"default: {ABSTRACTS:,}")
    parser.add_argument("--method", choices=CONSENSUS_METHODS, default="majority", help="default: majority")
    parser.add_argument("--threshold", type=float, help="default: that of the method")
    options = parser.parse_args()
    if options.articles < 1:
        parser.error("--articles: enter a number from 1.")
    return options


def _print_line(line: str) -> None:
    print(line, flush=True)


def _build_on_temporary_site(options: argparse.Namespace) -> None:
    archives = download_and_unpack_missing_demo_files(_print_line)
    folder = options.folder / str(options.articles)
    _print_line("Annotating the abstracts, once")
    write_annotation_files_unless_present(archives, folder, options.articles)
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    with services.run_temporary_services() as urls:
        os.environ |= SETTINGS | urls
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        from bcms.silver import standard, storage

        call_command("migrate", verbosity=0)
        _print_line("Storing articles and annotations")
        storage.store_identifier_tables(archives)
        producers = storage.register_servers()
        storage.store_articles(archives, folder)
        storage.store_annotations(producers, folder)
        storage.analyze_tables()
        _print_line("Building the consensus")
        data_set = standard.build_silver_standard(options.method, options.threshold, _print_line)
        _print_line("Writing the files")
        standard.write_silver_files(data_set, folder / "files", _print_line)
        connection.close()


def main() -> int:
    options = _parse_command()
    try:
        _build_on_temporary_site(options)
    except (StartError, DataArchiveError) as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(format_os_error(error), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
