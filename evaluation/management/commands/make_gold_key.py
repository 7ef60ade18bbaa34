"""`manage.py make_gold_key FOLDER`: the pair of keys by which test gold standards are sealed and opened."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.sealing import fingerprint, new_pair, public_key

PUBLIC, PRIVATE = "gold-public-key", "gold-private-key"


class Command(BaseCommand):
    help = "Make the pair of keys by which test gold standards are sealed, and write it into two files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="where the two files are written; made when it is not there")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        public, private = new_pair()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_new(folder / PRIVATE, private)
            write_new(folder / PUBLIC, public)
        except FileExistsError as error:
            raise CommandError(
                f"{error.filename} is there already, and without it what it sealed is lost: choose another folder."
            ) from None
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be written: {error.strerror}.") from None
        key = public_key(public)
        if key is not None:
            self.stdout.write(told(folder, fingerprint(key)))


def write_new(path: Path, line: str) -> None:
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(line + "\n", encoding="ascii")


def told(folder: Path, pair: str) -> str:
    return (
        f"The pair {pair} is in {folder}.\n"
        f"Give every process of the site the line of {PUBLIC} as GOLD_PUBLIC_KEY, and the scoring worker alone the\n"
        f"line of {PRIVATE} as GOLD_PRIVATE_KEY. Keep a copy of both where the site is not: what was sealed\n"
        "can be opened by nothing else."
    )
