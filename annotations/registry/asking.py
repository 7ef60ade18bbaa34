"""Asks an outside database politely: so many requests a second and no more, once again after trouble, never for long.

An answer that is not what it should be (an error page, half a document) is trouble like an error of the server's.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar
from urllib.parse import urlencode

from annotations.errors import SilentError
from annotations.fetching import BUSY, LASTING, OwnPace, Turn
from bcms.lib.http import HttpError, Reply, fetch

SECONDS = 30.0
LARGEST_REPLY = 64 * 1024 * 1024
# Seconds before each new try.
WAITS = (1.0,)
# Who is told to come back later than this comes back another time.
LONGEST_WAIT = 5.0
Read = TypeVar("Read")


class BusyError(Exception):
    """This try failed, the next may not; after is in how many seconds the database wants to be asked again."""

    def __init__(self, why: str, after: float = 0.0) -> None:
        super().__init__(why)
        self.after = after


class Door:
    """The way to one database. networks are the private ones (CIDR) where it may live, for a mirror or a test; turn
    waits until the database may be asked, where others ask it, too."""

    def __init__(
        self,
        title: str,
        per_second: float,
        contact: str = "",
        networks: Sequence[str] = (),
        waits: Sequence[float] = WAITS,
        seconds: float = SECONDS,
        turn: Turn | None = None,
    ) -> None:
        self.title = title
        self.headers = {"From": contact} if contact else {}
        self.networks = networks
        self.waits = waits
        self.seconds = seconds
        self.turn = turn or OwnPace(per_second)

    def get(self, url: str, read: Callable[[Reply], Read], redirects: int = 0) -> Read:
        """What read makes of the answer; it may raise BusyError. SilentError when nothing comes of it."""
        return self._insist(lambda: self._ask("GET", url, read, redirects=redirects))

    def post(self, url: str, form: Mapping[str, str], read: Callable[[Reply], Read]) -> Read:
        """The same for a form."""
        body = urlencode(form).encode("ascii")
        return self._insist(lambda: self._ask("POST", url, read, body=body))

    def _insist(self, ask: Callable[[], Read]) -> Read:
        for wait in self.waits:
            try:
                return ask()
            except BusyError as error:
                if error.after > LONGEST_WAIT:
                    raise self._silent(error) from error
                time.sleep(max(wait, error.after))
        try:
            return ask()
        except BusyError as error:
            raise self._silent(error) from error

    def unfit(self, why: str) -> SilentError:
        """The error for an answer that has the right form and the wrong content."""
        return SilentError(f"{self.title} gave no answer that can be used ({why}).")

    def _silent(self, error: BusyError) -> SilentError:
        return SilentError(f"{self.title} gave no answer that can be used ({error}).", error.after)

    def _ask(self, method: str, url: str, read: Callable[[Reply], Read], body: bytes = b"", redirects: int = 0) -> Read:
        reply = self._fetch(method, url, body, redirects)
        if reply.status in BUSY:
            raise BusyError(f"HTTP status {reply.status}", _seconds(reply.headers.get("Retry-After", "")))
        return read(reply)

    def _fetch(self, method: str, url: str, body: bytes, redirects: int) -> Reply:
        self.turn()
        form = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        try:
            return fetch(
                method,
                url,
                body=body,
                headers={**self.headers, **form},
                deadline=self.seconds,
                max_bytes=LARGEST_REPLY,
                networks=self.networks,
                redirects=redirects,
            )
        except HttpError as error:
            said = str(error).rstrip(".")
            if error.kind in LASTING:
                raise SilentError(f"{self.title} cannot be reached ({said}).") from error
            raise BusyError(said) from error


def _seconds(header: str) -> float:
    """Of Retry-After; a date, which hardly any database sends, counts as not said."""
    return float(header) if header.isdecimal() and len(header) < 7 else 0.0
