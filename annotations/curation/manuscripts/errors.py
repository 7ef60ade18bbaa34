"""Why something about a manuscript is refused."""


class ManuscriptError(Exception):
    """Nothing was changed; the message says why and what to do. field: which field is wrong, if one is."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class LinkError(Exception):
    """A link opens nothing; the message says why. article: where the published article is, if it is published."""

    def __init__(self, message: str, article: str = "") -> None:
        super().__init__(message)
        self.article = article
