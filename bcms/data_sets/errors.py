"""The error of operations on data sets."""


class DataSetError(ValueError):
    """What cannot be done with a data set: the message says why, and what to do. field: of the recipe, "" if none."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field
