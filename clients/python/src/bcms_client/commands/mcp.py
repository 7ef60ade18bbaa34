"""bcms mcp: tools for language models."""

from argparse import ArgumentParser, Namespace

from bcms_client.commands.arguments import Verbs
from bcms_client.errors import ConfigurationError

DESCRIPTION = (
    "Serve tools for language models over standard input and output (Model Context Protocol): search articles, read "
    "them and their annotations, list servers."
)


def add_mcp_command(nouns: Verbs) -> ArgumentParser:
    """The command, which a program with a language model starts."""
    parser = nouns.add_parser("mcp", help="serve tools for language models", description=DESCRIPTION)
    parser.add_argument("--url", help="another site than that of bcms login")
    parser.add_argument(
        "--allow-annotation",
        action="store_true",
        help="also let the model have articles annotated by all servers, if the token has the scope annotate",
    )
    return parser


def serve_tools(options: Namespace) -> None:
    """Serve until standard input is closed. ConfigurationError without the package mcp."""
    try:
        from bcms_client.mcp_server.server import run_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "pydantic"):
            raise
        raise ConfigurationError("bcms mcp needs the package mcp.", 'Run pip install "bcms-client[mcp]".') from None
    run_server(options.url, allows_annotation=options.allow_annotation)
