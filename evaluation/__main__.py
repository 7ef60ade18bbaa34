"""`python -m evaluation`: score and check runs from the command line, without a database.

Exit status: 0 for success; 1 for an invalid file, with all its errors on standard error; 2 for wrong usage.
"""

import gc
import os
import sys
from argparse import ArgumentParser, HelpFormatter, Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from annotations.formats.errors import RefusedFileError
from evaluation.commands.errors import UsageError

COMMANDS = {
    "score": "score runs against a gold standard",
    "check": "check that runs have the format of their task",
    "compare": "test which runs differ by more than chance; the others share ranks",
    "cutoff": "find the cut-off of lists with the best FAP on training data",
    "ensemble": "combine several runs into one by votes",
    "agree": "compute inter-annotator agreement: joint probability, kappa and F1",
    "overlap": "count the results that producers have in common, and how many are right",
    "causes": "list false negatives and false positives with their likely causes",
    "tapk": "compute threshold average precision (TAP-k) of retrieval lists",
}


class CommandModule(Protocol):
    """A module of evaluation.commands."""

    def add_arguments(self, parser: ArgumentParser) -> None: ...

    def run(self, options: Namespace) -> int: ...


def main(arguments: Sequence[str]) -> int:
    """Run one command and return the exit status. Loads only that command's module. SystemExit for wrong usage."""
    name = arguments[0] if arguments else ""
    if name not in COMMANDS:
        return _print_commands(arguments)
    command, parser = load_command(name)
    options = parser.parse_intermixed_args(arguments[1:])
    try:
        return command.run(options)
    except UsageError as error:
        parser.error(str(error))
    except RefusedFileError as refusal:
        for fault in refusal.faults:
            print(fault, file=sys.stderr)
        return 1


def load_command(
    command_name: str, help_formatter: type[HelpFormatter] = HelpFormatter
) -> tuple[CommandModule, ArgumentParser]:
    """The module of one of COMMANDS, and the parser of its arguments."""
    prog, description = f"python -m evaluation {command_name}", _format_as_sentence(COMMANDS[command_name])
    parser = ArgumentParser(prog=prog, description=description, allow_abbrev=False, formatter_class=help_formatter)
    command = cast(CommandModule, import_module(f"evaluation.commands.{command_name}"))
    command.add_arguments(parser)
    return command, parser


def _print_commands(arguments: Sequence[str]) -> int:
    """Parse arguments without a known command: print the help, or exit with an error for an unknown command."""
    parser = ArgumentParser(prog="python -m evaluation", description="Score and check runs of text-mining challenges.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", title="commands")
    for name, description in COMMANDS.items():
        commands.add_parser(name, help=description)
    parser.parse_args(arguments)
    return 0


def _format_as_sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


if __name__ == "__main__":
    # What a command makes is needed until it ends, so looking for cycles to collect would find nothing.
    gc.disable()
    # On a busy machine, threads of numpy products wait for each other longer than they compute. Set before its import.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Names in files may contain bytes that are not valid text; show them escaped instead of failing.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
        sys.exit(status)
    except BrokenPipeError:
        # The reader has closed the pipe; keep Python from flushing the rest at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
