"""What goes wrong when outside services are asked, apart from faults of a file."""


class FetchError(Exception):
    """An outside service could not give what was asked for; the message is for the person who asked."""


class SilentError(FetchError):
    """It could not be asked at all: the message is for whoever runs the site. after: in how many seconds it wants to be
    asked again, 0 when it did not say."""

    def __init__(self, message: str, after: float = 0.0) -> None:
        super().__init__(message)
        self.after = after
