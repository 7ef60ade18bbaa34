"""An HTTP client for outside databases with a rate limit, one retry and short timeouts.

An unexpected answer (an error page, a truncated document) is treated like a server error.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar
from urllib.parse import urlencode

from annotations.errors import ServiceUnavailableError, TransientServiceError
from bcms.lib.http.client import request_permitted_url
from bcms.lib.http.errors import HttpError
from bcms.lib.http.messages import HttpReply
from bcms.lib.http.pacing import (
    LASTING_FAULTS,
    RETRIED_STATUSES,
    ProcessPace,
    WaitForTurn,
    parse_retry_after_seconds_or_zero,
)

REQUEST_TIMEOUT = 30.0
LARGEST_REPLY = 64 * 1024 * 1024
# Seconds before each retry.
RETRY_DELAYS = (1.0,)
# If the service asks for a longer wait, the request fails and the look-up is postponed.
LONGEST_WAIT = 5.0
ParsedReply = TypeVar("ParsedReply")


class RegistryClient:
    """A client for one database.

    title: its name in messages. contact: an email address to send with each request. networks: private networks (CIDR)
    where it may be, for a mirror or a test. retry_delays: seconds before each retry. timeout: seconds for each request.
    wait_for_turn: blocks until the database may be asked, by default to keep the limit of per_second requests.
    """

    def __init__(
        self,
        title: str,
        per_second: float,
        contact: str = "",
        networks: Sequence[str] = (),
        retry_delays: Sequence[float] = RETRY_DELAYS,
        timeout: float = REQUEST_TIMEOUT,
        wait_for_turn: WaitForTurn | None = None,
    ) -> None:
        self.title = title
        self.headers = {"From": contact} if contact else {}
        self.networks = networks
        self.retry_delays = retry_delays
        self.timeout = timeout
        self.wait_for_turn = wait_for_turn or ProcessPace(per_second)

    def get(self, url: str, read: Callable[[HttpReply], ParsedReply], redirects: int = 0) -> ParsedReply:
        """Send a GET request and return the answer as parsed by `read`, which may raise TransientServiceError.

        Raises ServiceUnavailableError if no attempt succeeds.
        """
        return self._retry(lambda: self._request_url("GET", url, read, redirects=redirects))

    def post(self, url: str, form: Mapping[str, str], read: Callable[[HttpReply], ParsedReply]) -> ParsedReply:
        """Send a form by POST and return the answer as parsed by `read`, which may raise TransientServiceError.

        Raises ServiceUnavailableError if no attempt succeeds.
        """
        body = urlencode(form).encode("ascii")
        return self._retry(lambda: self._request_url("POST", url, read, body=body))

    def _retry(self, fetch: Callable[[], ParsedReply]) -> ParsedReply:
        for delay in self.retry_delays:
            try:
                return fetch()
            except TransientServiceError as error:
                if error.retry_after > LONGEST_WAIT:
                    raise self._unavailable_error(error) from error
                time.sleep(max(delay, error.retry_after))
        try:
            return fetch()
        except TransientServiceError as error:
            raise self._unavailable_error(error) from error

    def unusable_answer_error(self, reason: str) -> ServiceUnavailableError:
        """The error for an answer that has the right form and the wrong content."""
        return ServiceUnavailableError(f"{self.title} returned no usable answer ({reason}).")

    def _unavailable_error(self, error: TransientServiceError) -> ServiceUnavailableError:
        return ServiceUnavailableError(f"{self.title} returned no usable answer ({error}).", error.retry_after)

    def _request_url(
        self, method: str, url: str, read: Callable[[HttpReply], ParsedReply], body: bytes = b"", redirects: int = 0
    ) -> ParsedReply:
        reply = self._fetch(method, url, body, redirects)
        if reply.status in RETRIED_STATUSES:
            raise TransientServiceError(
                f"HTTP status {reply.status}", parse_retry_after_seconds_or_zero(reply.headers.get("Retry-After", ""))
            )
        return read(reply)

    def _fetch(self, method: str, url: str, body: bytes, redirects: int) -> HttpReply:
        self.wait_for_turn()
        form = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        try:
            return request_permitted_url(
                method,
                url,
                body=body,
                headers={**self.headers, **form},
                deadline_seconds=self.timeout,
                max_bytes=LARGEST_REPLY,
                extra_networks=self.networks,
                max_get_redirects=redirects,
            )
        except HttpError as error:
            reason = str(error).rstrip(".")
            if error.kind in LASTING_FAULTS:
                raise ServiceUnavailableError(f"{self.title} cannot be reached ({reason}).") from error
            raise TransientServiceError(reason) from error
