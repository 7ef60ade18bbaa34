"""Why a command ends without doing its work."""


class UsageError(Exception):
    """The command was called wrongly: one sentence, with what to call instead."""
