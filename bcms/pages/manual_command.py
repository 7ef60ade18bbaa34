"""What `python -m evaluation` takes, for the manual: the help of each command as the terminal shows it."""

from argparse import HelpFormatter
from dataclasses import dataclass
from functools import cache

from evaluation.__main__ import COMMANDS, command_of

# So much fits a paragraph of the manual.
WIDTH = 76


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """A command, what it does in a few words, and all that it takes."""

    name: str
    meaning: str
    text: str


class PageFormatter(HelpFormatter):
    """Help in lines of this width, whichever terminal the site was started from."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=WIDTH)


@cache
def command_helps() -> list[CommandHelp]:
    """All commands. Their modules are loaded, which takes a moment."""
    return [CommandHelp(name, meaning, help_of(name)) for name, meaning in COMMANDS.items()]


def help_of(name: str) -> str:
    _, parser = command_of(name, PageFormatter)
    return parser.format_help()
