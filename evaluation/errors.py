"""Errors of challenges and of gold standards. Each message is one sentence with the fix for that person."""

import traceback


class ChallengeError(Exception):
    """An action that the state of a challenge does not allow."""


class SealError(Exception):
    """A sealed gold standard cannot be opened. The message never quotes its content."""


def format_traceback_without_message(error: Exception) -> str:
    """The traceback and type of an error, without its message, which may quote a gold standard."""
    return "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__
