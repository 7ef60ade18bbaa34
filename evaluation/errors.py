"""Errors of challenges and of gold standards. Each message is one sentence with the fix for that person."""


class ChallengeError(Exception):
    """An action that the state of a challenge does not allow."""


class SealError(Exception):
    """A sealed gold standard cannot be opened. The message never quotes its content."""
