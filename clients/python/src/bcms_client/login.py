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

    The token of the file goes to the address of the file only. token="" asks for none. ConfigurationError if there is
    no address, or one of them cannot be used.
    """
    url, token = url or os.environ.get("BCMS_URL"), os.environ.get("BCMS_TOKEN") if token is None else token
    if url is None or token is None:
        stored = read_login_file()
        if url is None and stored is None:
            raise ConfigurationError("No site is chosen.", "Run bcms login URL, set BCMS_URL, or pass url=.")
        url = url or (stored.url if stored else "")
        if token is None:
            token = stored.token if stored and stored.url == normalize_site_url(url) else ""
    return Login(normalize_site_url(url), check_token(token))


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
