"""Why a decision was not stored, in sentences for the curator."""


class CurationError(Exception):
    """The request cannot be carried out; field names the input at fault, "" for none."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class StaleDecisionError(CurationError):
    """The items were changed elsewhere since the page was opened; nothing was stored."""
