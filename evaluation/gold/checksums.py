"""Checksums of gold standards that nobody can guess from, as long as anything in their file stays sealed."""

from hashlib import sha256

from django.utils.crypto import salted_hmac

CHECKSUM_SALT = "evaluation.gold.checksum"


def compute_plain_checksum(content: bytes) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    return sha256(content).hexdigest()


def compute_keyed_checksum(content: bytes) -> str:
    """HMAC-SHA-256 of the SHA-256 of a file, with a key of this site.

    With the plain checksum in a copy of the database, guesses of a short file could be verified.
    """
    return salted_hmac(CHECKSUM_SALT, compute_plain_checksum(content), algorithm="sha256").hexdigest()
