"""What `bcms login` stores: the address of a site and a token, in a file that only its owner can read.

It is the file of the single-file client bcms.py, so one login serves both.
"""

import json
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from bcms_client.address import normalize_site_url
from bcms_client.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Login:
    """The token is empty for what everybody may read, and never part of the repr."""

    url: str
    token: str = field(default="", repr=False)


def get_login_file() -> Path:
    """BCMS_CONFIG, else ~/.config/bcms.json."""
    return Path(os.environ.get("BCMS_CONFIG") or Path.home() / ".config" / "bcms.json")


def find_login(url: str | None = None, token: str | None = None) -> Login:
    """The site and token to use: the arguments, else BCMS_URL and BCMS_TOKEN, else the file of `bcms login`.

    A token goes only to the site that it was given for: that of the file to the address of the file, BCMS_TOKEN to
    BCMS_URL, or without this to the address of the file. token="" asks for none. ConfigurationError if there is no
    address, one of them cannot be used, or BCMS_TOKEN is for another site.
    """
    chosen = url or os.environ.get("BCMS_URL")
    is_all_set = bool(os.environ.get("BCMS_URL")) and "BCMS_TOKEN" in os.environ
    stored = read_login_file() if not chosen or (token is None and not is_all_set) else None
    if not chosen and stored is None:
        raise ConfigurationError("No site is chosen.", "Run bcms login URL, set BCMS_URL, or pass url=.")
    site = normalize_site_url(chosen or (stored.url if stored else ""))
    return Login(site, check_token(_find_token(site, stored) if token is None else token))


def _find_token(site: str, stored: Login | None) -> str:
    """BCMS_TOKEN or the stored token. ConfigurationError if BCMS_TOKEN was given for another site."""
    token = os.environ.get("BCMS_TOKEN")
    if token is None:
        return stored.token if stored and stored.url == site else ""
    url = os.environ.get("BCMS_URL")
    given_for = normalize_site_url(url) if url else stored.url if stored else site
    if token and given_for != site:
        raise ConfigurationError(
            f"BCMS_TOKEN is for {given_for}, not for {site}.", f"Set BCMS_URL={site} if it is for that, or unset it."
        )
    return token


def check_token(token: str) -> str:
    """The token without spaces around it. ConfigurationError, which does not quote it, if it cannot be one."""
    token = token.strip()
    if not token.isascii() or any(not "!" <= letter <= "~" for letter in token):
        raise ConfigurationError(
            "The token has characters that no token has.", "Copy it from your account page once more."
        )
    return token


def read_login_file() -> Login | None:
    """What was stored, or None. ConfigurationError if others can read the file, or it is damaged."""
    file = get_login_file()
    try:
        with file.open(encoding="utf-8") as opened:
            # Windows has no such rights; its home folders are private.
            if os.name == "posix" and os.fstat(opened.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise ConfigurationError(f"Others can read {file}, which holds a token.", f"Run chmod 600 {file}.")
            stored = json.load(opened)
        return Login(normalize_site_url(stored["url"]), check_token(stored["token"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise ConfigurationError(f"{file} cannot be read.", "Run bcms login URL again.") from None


def store_login(login: Login) -> Path:
    """Write the file anew, readable by its owner alone from the first moment; its path."""
    file = get_login_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            json.dump({"url": login.url, "token": login.token}, opened)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
    return file
