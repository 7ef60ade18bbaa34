"""Errors that end a command."""


class UsageError(Exception):
    """Wrong usage of a command; the message says what is wrong and how to correct it."""
