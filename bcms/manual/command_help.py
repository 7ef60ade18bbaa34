"""The help text of each command of `python -m evaluation`, for the manual."""

from argparse import HelpFormatter
from dataclasses import dataclass
from functools import cache

from evaluation.__main__ import COMMANDS, load_command

# The width of a preformatted block in the manual, in characters.
HELP_WIDTH = 76
# {id of the command's part of the page: its name}
COMMAND_ANCHORS = {f"command-{name}": name for name in COMMANDS}


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """A command: its name, a short description and its help text."""

    name: str
    meaning: str
    text: str


class FixedWidthHelpFormatter(HelpFormatter):
    """Help in lines of HELP_WIDTH characters, independent of the terminal."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=HELP_WIDTH)


@cache
def list_command_helps() -> list[CommandHelp]:
    """Help of all commands. The first call imports their modules, which takes about a second."""
    return [CommandHelp(name, meaning, _format_command_help(name)) for name, meaning in COMMANDS.items()]


def _format_command_help(name: str) -> str:
    _, parser = load_command(name, FixedWidthHelpFormatter)
    return parser.format_help()
