"""Errors of requests to outside services."""


class FetchError(Exception):
    """An outside service did not provide what was requested. The message is for the person who requested it."""


class ServiceUnavailableError(FetchError):
    """A service cannot be reached or cannot answer. The message is for the operator of the site.

    retry_after: seconds after which the service wants to be asked again, 0 if it did not say.
    """

    def __init__(self, message: str, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class TransientServiceError(Exception):
    """One attempt failed, and the next may succeed.

    retry_after: seconds after which the service wants to be asked again, 0 if it did not say.
    """

    def __init__(self, message: str, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after
