"""Tell whether the keys of an installation are those of the one that was backed up, without storing any key."""

import hashlib
from collections.abc import Iterator, Mapping

from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings
from django.utils.crypto import salted_hmac

from bcms.lib.sealing import encode_public_key

# Of the digest of SECRET_KEY, 16 bits are kept: enough to notice another key, not enough to confirm a guess.
SECRET_DIGITS = 4
# What needs each key, and does not work with another one.
NEEDED_FOR = {
    "SECRET_KEY": "links in mail that was sent, and checksums of sealed gold standards",
    "GOLD_PUBLIC_KEY": "GOLD_PRIVATE_KEY, which opens sealed gold standards",
    "CREDENTIALS_PUBLIC_KEY": (
        "CREDENTIALS_PRIVATE_KEY, which opens log-ins and signing secrets of annotation servers, and access tokens of "
        "Matrix"
    ),
    "NANOPUB_KEY_FILE": "signing archives and nanopublications as the same site",
}


def compute_key_fingerprints() -> dict[str, str]:
    """The fingerprint of each key that is set, by its setting."""
    nanopub: rsa.RSAPrivateKey | None = settings.NANOPUB_KEY
    public_keys = {
        "GOLD_PUBLIC_KEY": settings.GOLD_PUBLIC_KEY,
        "CREDENTIALS_PUBLIC_KEY": settings.CREDENTIALS_PUBLIC_KEY,
        "NANOPUB_KEY_FILE": nanopub.public_key() if nanopub else None,
    }
    secret = salted_hmac("bcms.backup", "SECRET_KEY", algorithm="sha256").hexdigest()[:SECRET_DIGITS]
    return {"SECRET_KEY": secret} | {name: _compute_fingerprint(key) for name, key in public_keys.items() if key}


def _compute_fingerprint(key: rsa.RSAPublicKey) -> str:
    return hashlib.sha256(encode_public_key(key).encode()).hexdigest()


def iter_key_lines(backed_up: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each key that is not in the backup. backed_up: the fingerprints of the manifest."""
    present = compute_key_fingerprints()
    for name, purpose in NEEDED_FOR.items():
        if name not in backed_up:
            continue
        if name not in present:
            yield f"{name} is not set here. Set that of the site that was backed up: it is needed for {purpose}."
        elif present[name] != backed_up[name]:
            yield f"{name} is another one here. Set that of the site that was backed up: it is needed for {purpose}."
        else:
            yield f"{name} here is that of the site that was backed up."


def list_key_settings_without_copy() -> list[str]:
    """The settings whose keys have to be kept elsewhere."""
    private = {"GOLD_PUBLIC_KEY": "GOLD_PRIVATE_KEY", "CREDENTIALS_PUBLIC_KEY": "CREDENTIALS_PRIVATE_KEY"}
    return [private.get(name, name) for name in compute_key_fingerprints()]
