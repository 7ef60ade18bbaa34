"""`manage.py make_gold_key FOLDER`: create the key pair that seals and opens the gold standards of tests."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from bcms.lib.key_files import convert_key_file_errors, write_new_key_file
from evaluation.gold.sealing import compute_key_fingerprint, generate_public_and_private_key, parse_optional_public_key

PUBLIC_KEY_NAME, PRIVATE_KEY_NAME = "gold-public-key", "gold-private-key"


class Command(BaseCommand):
    help = "Create the key pair that seals the gold standards of tests, and write it to two files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder of the two files; created if missing")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        public, private = generate_public_and_private_key()
        with convert_key_file_errors(", and gold standards sealed with it would be lost: choose another folder."):
            folder.mkdir(parents=True, exist_ok=True)
            write_new_key_file(folder / PRIVATE_KEY_NAME, private)
            write_new_key_file(folder / PUBLIC_KEY_NAME, public)
        key = parse_optional_public_key(public)
        if key is not None:
            self.stdout.write(format_key_pair_message(folder, compute_key_fingerprint(key)))


def format_key_pair_message(folder: Path, key_fingerprint: str) -> str:
    return (
        f"The key pair {key_fingerprint} is in {folder}.\n"
        f"Set GOLD_PUBLIC_KEY to the line of {PUBLIC_KEY_NAME} for every process of the site, and GOLD_PRIVATE_KEY to\n"
        f"the line of {PRIVATE_KEY_NAME} for the scoring worker only. Keep a copy of both outside of the site: sealed\n"
        "gold standards cannot be opened without them."
    )
