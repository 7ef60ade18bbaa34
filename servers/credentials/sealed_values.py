"""Seal values that only asking workers may read, and open them there."""

import json
from collections.abc import Mapping

from django.conf import settings

from bcms.lib import sealing


class CredentialsKeyError(Exception):
    """This process cannot seal or open the credentials of calls."""


def seal_values(values: Mapping[str, str]) -> bytes:
    """The values, encrypted for the asking workers. CredentialsKeyError if the site has no key for credentials."""
    if settings.CREDENTIALS_PUBLIC_KEY is None:
        raise CredentialsKeyError("CREDENTIALS_PUBLIC_KEY is not set.")
    return sealing.encrypt_content(json.dumps(values).encode(), settings.CREDENTIALS_PUBLIC_KEY)


def open_sealed_values(sealed: bytes) -> Mapping[str, str]:
    """What was sealed. CredentialsKeyError in a process without the matching key."""
    if settings.CREDENTIALS_PRIVATE_KEY is None:
        raise CredentialsKeyError("CREDENTIALS_PRIVATE_KEY is not set. Start the asking workers with it.")
    try:
        opened: dict[str, str] = json.loads(sealing.decrypt_content(sealed, settings.CREDENTIALS_PRIVATE_KEY))
    except sealing.DamagedContentError:
        raise CredentialsKeyError(
            "These credentials were sealed with another key. Enter them again, or replace them."
        ) from None
    return opened
