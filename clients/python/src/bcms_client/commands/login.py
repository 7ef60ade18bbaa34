"""bcms login: ask for a token, check it, and store it."""

import sys
from argparse import Namespace
from getpass import getpass

from bcms_client.client import Client
from bcms_client.commands.output import Columns, print_record, print_sentence
from bcms_client.errors import ConfigurationError
from bcms_client.login import find_login, store_login


def log_in(options: Namespace) -> None:
    """Store the site and a token, after the site has accepted it; the token is typed unseen, or comes from a pipe."""
    url = find_login(options.url, "").url
    login = find_login(url, _read_token())
    if not login.token:
        raise ConfigurationError("No token was given.", f"Create one on your account page: {url}/account/.")
    with Client(login.url, login.token) as client:
        account = client.get_account()
    file = store_login(login)
    teams = [team.slug for team in account.teams]
    sentence = f"Logged in as {account.username}. Your teams: {', '.join(teams) or 'none'}. The token is in {file}."
    print_sentence(options, sentence, url=url, username=account.username, teams=teams)


def print_account(client: Client, options: Namespace) -> None:
    """Print the account, its teams, and what the token permits."""
    columns: Columns = {
        "account": lambda account: account.username,
        "teams": lambda account: [f"{team.slug} ({team.role})" for team in account.teams],
        "token": lambda account: account.token and account.token.name,
        "permits": lambda account: account.token and account.token.scopes,
        "expires": lambda account: account.token and account.token.expires,
    }
    print_record(options, client.get_account(), columns)


def _read_token() -> str:
    return getpass("Token from your account page: ") if sys.stdin.isatty() else sys.stdin.readline()
