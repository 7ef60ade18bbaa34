"""What can go wrong, each with what to do about it: `str(error)` is a text for people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault in a request or file; line and column count from 1, and are 0 where there is none."""

    loc: str
    code: str
    message: str
    line: int = 0
    column: int = 0


class BcmsError(Exception):
    """Base of all errors of this package: what is wrong, and a hint how to fix it (empty if the message says it)."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message, self.hint = message, hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class ConfigurationError(BcmsError):
    """The address, the token, the file of `bcms login` or a name cannot be used; nothing was sent."""


class UnreachableError(BcmsError):
    """No connection, no answer in time, or the connection broke off."""


class StillWorkingError(BcmsError):
    """The server has not finished in the time that one was ready to wait; it goes on."""


class UnexpectedAnswerError(BcmsError):
    """The answer is not what the API promises: not JSON, cut, too large, or with other fields."""


class RedirectError(UnexpectedAnswerError):
    """The server redirects. It is not followed, so that the token goes only to the address that it was given for."""


class ProblemError(BcmsError):
    """The server refused the request: status, its stable code, and each fault that it found."""

    default_hint = ""

    def __init__(
        self,
        status: int,
        message: str,
        code: str = "",
        faults: Sequence[Fault] = (),
        retry_after: float | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, self.default_hint if hint is None else hint)
        self.status, self.code, self.faults, self.retry_after = status, code, tuple(faults), retry_after


class InvalidRequestError(ProblemError):
    """400: a parameter or field has a value that the API does not take."""


class AuthenticationError(ProblemError):
    """401: no token, or one that is wrong, revoked or expired."""

    default_hint = "Create a token on your account page and run bcms login, or pass token=."


class PermissionDeniedError(ProblemError):
    """403: this account or token may not do it."""

    default_hint = "Check the scopes of the token and whose it is."


class NotFoundError(ProblemError):
    """404: there is nothing by this name that the account may see."""


class ConflictError(ProblemError):
    """409: not possible in the current state."""


class InvalidFileError(ProblemError):
    """422: the file is invalid; `faults` has each rule that it breaks, by line and column."""

    default_hint = "Correct the file and send it again."


class RateLimitError(ProblemError):
    """429: too many requests; `retry_after` is how many seconds to wait."""


class ServerFailureError(ProblemError):
    """5xx: the server failed."""

    default_hint = "Try again later. If you changed something, look first whether it was stored."


class UnavailableError(ServerFailureError):
    """502, 503 or 504: the site is away for a moment; `retry_after` is how many seconds to wait, if it says so."""


_BY_STATUS: Mapping[int, type[ProblemError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: InvalidFileError,
    429: RateLimitError,
    502: UnavailableError,
    503: UnavailableError,
    504: UnavailableError,
}


def choose_problem_class(status: int) -> type[ProblemError]:
    """The class of errors for a status of 400 or more."""
    return _BY_STATUS.get(status, ServerFailureError if status >= 500 else ProblemError)
