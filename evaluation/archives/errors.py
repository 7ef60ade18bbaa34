"""The error of an archive that cannot be restored."""

GET_ARCHIVE_AGAIN = "download the archive again from the site that made it"


class ChallengeArchiveError(Exception):
    """An archive cannot be restored; the message says why and what to do, in one sentence."""
