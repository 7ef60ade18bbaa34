"""bcms login: ask for a token, check it, and store it."""

import sys
from argparse import Namespace
from getpass import getpass

from bcms_client.client import Client
from bcms_client.commands.output import print_sentence
from bcms_client.errors import ConfigurationError
from bcms_client.login import find_login, store_login


def log_in(options: Namespace) -> None:
    """Store the site and a token, after the site has accepted it; the token is typed unseen, or comes from a pipe."""
    url = find_login(options.url, "").url
    login = find_login(url, _read_token())
    if not login.token:
        raise ConfigurationError("No token was given.", f"Create one on your account page: {url}/account/.")
    with Client(login.url, login.token) as client:
        teams = [team.slug for team in client.list_teams()]
    file = store_login(login)
    names = ", ".join(teams) or "none"
    print_sentence(options, f"Logged in. Your teams: {names}. The token is in {file}.", url=url, teams=teams)


def _read_token() -> str:
    return getpass("Token from your account page: ") if sys.stdin.isatty() else sys.stdin.readline()
