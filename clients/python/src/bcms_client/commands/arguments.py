"""Adding commands to the parser."""

from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bcms_client.client import Client

if TYPE_CHECKING:
    Verbs = _SubParsersAction[ArgumentParser]
else:
    Verbs = _SubParsersAction

Run = Callable[[Client, Namespace], None]


def add_noun(nouns: Verbs, name: str, help_text: str) -> Verbs:
    """The verbs of a noun, such as list of servers."""
    return nouns.add_parser(name, help=help_text, description=help_text).add_subparsers(
        dest="verb", required=True, metavar="VERB"
    )


def add_verb(verbs: Verbs, name: str, run: Run, help_text: str, *positional: str) -> ArgumentParser:
    """A command with --json, --url and these arguments, which calls run with a client."""
    parser = verbs.add_parser(name, help=help_text, description=help_text)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--url", help="another site than that of bcms login")
    parser.set_defaults(run=run)
    for argument in positional:
        parser.add_argument(argument, **_POSITIONAL.get(argument, {}))
    return parser


_POSITIONAL: dict[str, dict[str, Any]] = {
    "server": {"help": "slug of the server"},
    "queue": {"type": int, "help": "id of the queue"},
    # "run" of the options is the function that carries the command out.
    "run_id": {"type": int, "metavar": "run", "help": "id of the run"},
    "curation": {"type": int, "help": "id of the curation"},
    "phase": {"help": "training, development or test"},
    "article": {"help": "PMID or id"},
    "file": {"type": Path},
    "target": {"type": Path, "metavar": "FILE", "help": "the file to write"},
    "format": {"help": "name of the format; the command formats lists them"},
}
TASK = ("challenge", "phase", "task")


def add_filters(parser: ArgumentParser) -> None:
    """Filters of a search, as in the list of articles."""
    parser.add_argument("-q", help="words in the article")
    parser.add_argument(
        "--filter", action="append", default=[], type=parse_filter, metavar="NAME=VALUE", help="filter of the API"
    )


def parse_filter(text: str) -> tuple[str, str]:
    """NAME=VALUE in two parts. ValueError without a name."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ValueError(text)
    return name, value


def read_filters(options: Namespace) -> dict[str, str | None]:
    """The filters that were given."""
    return {"q": options.q, **dict(options.filter)}
