"""The command bcms.

Exit status: 0 for success; 1 if the site cannot be reached or refuses, with every fault in a file on standard error as
FILE:LINE:COLUMN: RULE message; 2 for wrong usage; 130 after Ctrl-C.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from io import TextIOWrapper

from bcms_client.client import Client
from bcms_client.commands.arguments import add_verb
from bcms_client.commands.challenges import add_challenge_commands
from bcms_client.commands.curate import add_curate_commands
from bcms_client.commands.export import add_export_commands
from bcms_client.commands.login import log_in, print_account
from bcms_client.commands.mcp import add_mcp_command, serve_tools
from bcms_client.commands.output import print_note
from bcms_client.commands.runs import add_run_commands
from bcms_client.commands.servers import add_queue_commands, add_server_commands
from bcms_client.errors import BcmsError, ProblemError
from bcms_client.version import API_VERSION, __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command; the exit status."""
    options = build_parser().parse_args(arguments)
    if isinstance(sys.stdout, TextIOWrapper):
        # Names and titles have letters that older encodings of terminals and files lack.
        sys.stdout.reconfigure(errors="replace")
    try:
        _carry_out(options)
    except BcmsError as error:
        _print_error(error, options)
        return 1
    except OSError as error:
        print_note(f"{error.filename or 'A file'}: {error.strerror or error}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def build_parser() -> ArgumentParser:
    """The parser of all commands."""
    parser = ArgumentParser(prog="bcms", description="Use a BioCreative Meta-Server from the command line.")
    parser.add_argument("--version", action="version", version=f"bcms-client {__version__}, API version {API_VERSION}")
    nouns = parser.add_subparsers(dest="noun", required=True, metavar="NOUN")
    login = nouns.add_parser("login", help="store the site's address and your token", description=log_in.__doc__)
    login.add_argument("url", help="https://HOST")
    login.add_argument("--json", action="store_true", help="print JSON")
    add_verb(nouns, "whoami", print_account, "show your account, its teams, and what your token permits")
    add_server_commands(nouns)
    add_queue_commands(nouns)
    add_run_commands(nouns)
    add_challenge_commands(nouns)
    add_curate_commands(nouns)
    add_export_commands(nouns)
    add_mcp_command(nouns)
    return parser


def _carry_out(options: Namespace) -> None:
    if options.noun == "login":
        log_in(options)
        return
    if options.noun == "mcp":
        serve_tools(options)
        return
    with Client(options.url) as client:
        options.run(client, options)


def _print_error(error: BcmsError, options: Namespace) -> None:
    """The error, and each fault that it lists: those in a file by line and column."""
    print_note(str(error))
    for fault in error.faults if isinstance(error, ProblemError) else ():
        where = f"{getattr(options, 'file', '')}:{fault.line}:{fault.column}" if fault.line else fault.loc
        print_note(f"{where}: {fault.code} {fault.message}".removeprefix(": "))


if __name__ == "__main__":
    sys.exit(main())
