"""`python -m evaluation`: score and check runs from the command line, without a database.

Exit status: 0; 1 when a file is refused, with all faults on standard error; 2 for wrong usage.
"""

import os
import sys
from argparse import ArgumentParser, HelpFormatter, Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from annotations.formats.errors import RefusedFileError
from evaluation.commands.errors import UsageError

COMMANDS = {
    "score": "every figure of runs against a gold standard",
    "check": "whether runs have the form that their task asks for",
    "compare": "which runs differ by more than chance, and the ranks that the others share",
    "cutoff": "where to end the lists of a run, by the best FAP on training data",
    "ensemble": "several runs joined to one by votes",
    "agree": "how far producers say the same: joint probability, kappa and F1",
    "overlap": "what producers report in common, and how much of it is right",
    "causes": "why a run misses what it misses, and reports what is not right",
    "tapk": "threshold average precision (TAP-k) of retrieval lists",
}


class Command(Protocol):
    """A module of evaluation.commands."""

    def add_arguments(self, parser: ArgumentParser) -> None: ...

    def run(self, options: Namespace) -> int: ...


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit status. Only the module of that command is loaded. SystemExit for wrong usage."""
    name = arguments[0] if arguments else ""
    if name not in COMMANDS:
        return explain(arguments)
    command, parser = command_of(name)
    options = parser.parse_intermixed_args(arguments[1:])
    try:
        return command.run(options)
    except UsageError as error:
        parser.error(str(error))
    except RefusedFileError as refusal:
        for fault in refusal.faults:
            print(fault, file=sys.stderr)
        return 1


def command_of(name: str, formatter: type[HelpFormatter] = HelpFormatter) -> tuple[Command, ArgumentParser]:
    """The module of one of COMMANDS, and what reads its arguments."""
    prog, meaning = f"python -m evaluation {name}", sentence(COMMANDS[name])
    parser = ArgumentParser(prog=prog, description=meaning, allow_abbrev=False, formatter_class=formatter)
    command = cast(Command, import_module(f"evaluation.commands.{name}"))
    command.add_arguments(parser)
    return command, parser


def explain(arguments: Sequence[str]) -> int:
    """Say which commands there are, or that the one asked for is none."""
    parser = ArgumentParser(prog="python -m evaluation", description="Score and check runs of text-mining challenges.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", title="commands")
    for name, meaning in COMMANDS.items():
        commands.add_parser(name, help=meaning)
    parser.parse_args(arguments)
    return 0


def sentence(meaning: str) -> str:
    return f"{meaning[0].upper()}{meaning[1:]}."


if __name__ == "__main__":
    # On a busy machine the threads of numpy's products wait for each other longer than they compute. Before its import.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Names in files may hold bytes that are no text; they are shown, not fatal.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
        sys.exit(status)
    except BrokenPipeError:
        # Whoever read the output has enough of it; Python must not try to write the rest as it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
