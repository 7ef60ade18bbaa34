"""Seal files so that only the holder of a private key can open them: how test gold standards are kept.

A file is encrypted with a key of its own (Fernet: AES-128-CBC and HMAC-SHA256), and this key with the public one
(RSA-OAEP with SHA-256, RFC 8017). A sealed file is one line that says by which pair, one line with the wrapped key,
and the token; all of it is printable.
"""

import base64
from hashlib import sha256

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
    load_der_public_key,
)

HEAD = b"bcms-sealed-1 "
SMALLEST_KEY = 2048
BITS = 3072
OAEP = padding.OAEP(mgf=padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None)


class SealError(Exception):
    """A sealed file cannot be opened, in one sentence; never with anything of what is in it."""


def new_pair(bits: int = BITS) -> tuple[str, str]:
    """A new public key and its private key, each as one line of text."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=bits)
    return public_text(private.public_key()), text_of(
        private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    )


def public_text(key: rsa.RSAPublicKey) -> str:
    return text_of(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


def text_of(der: bytes) -> str:
    return base64.b64encode(der).decode("ascii")


def public_key(text: str) -> rsa.RSAPublicKey | None:
    """The public key of a setting; None where the setting is empty, ValueError when it holds something else."""
    if not text.strip():
        return None
    try:
        key = load_der_public_key(base64.b64decode(text.strip(), validate=True))
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, rsa.RSAPublicKey) or key.key_size < SMALLEST_KEY:
        raise ValueError("GOLD_PUBLIC_KEY is no public key: give the line that `manage.py make_gold_key` wrote.")
    return key


def private_key(text: str) -> rsa.RSAPrivateKey | None:
    """As public_key, of the private one. Nothing of it stands in the error."""
    if not text.strip():
        return None
    try:
        key = load_der_private_key(base64.b64decode(text.strip(), validate=True), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, rsa.RSAPrivateKey) or key.key_size < SMALLEST_KEY:
        raise ValueError("GOLD_PRIVATE_KEY is no private key: give the line that `manage.py make_gold_key` wrote.")
    return key


def fingerprint(key: rsa.RSAPublicKey) -> str:
    """What tells one pair from another: the first 16 hexadecimal digits of the SHA-256 of the public key."""
    return sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()[:16]


def seal(content: bytes, key: rsa.RSAPublicKey) -> bytes:
    """The sealed file; sealed twice, it is two different ones."""
    own = Fernet.generate_key()
    wrapped = base64.b64encode(key.encrypt(own, OAEP))
    return b"\n".join([HEAD + fingerprint(key).encode("ascii"), wrapped, Fernet(own).encrypt(content)])


def sealed_by(sealed: bytes) -> str:
    """The fingerprint of the pair by which it was sealed; SealError when it is no sealed file."""
    head, _, _ = sealed.partition(b"\n")
    if not head.startswith(HEAD):
        raise SealError("This is no sealed file: upload the gold standard again.")
    return head.removeprefix(HEAD).decode("ascii", "replace")


def open_sealed(sealed: bytes, key: rsa.RSAPrivateKey | None) -> bytes:
    """What was sealed. SealError when there is no key, another one, or the file was changed since."""
    pair = sealed_by(sealed)
    if key is None:
        raise SealError("The private key is not here: start the scoring worker with GOLD_PRIVATE_KEY.")
    own = fingerprint(key.public_key())
    if own != pair:
        raise SealError(
            f"The gold standard was sealed for the key {pair}, and the scoring worker has the key {own}: "
            "give the worker the right one, or upload the gold standard again."
        )
    try:
        _, wrapped, token = sealed.split(b"\n", 2)
        return Fernet(key.decrypt(base64.b64decode(wrapped), OAEP)).decrypt(token)
    except (ValueError, InvalidToken):
        # From None: what the libraries say is of no use to anybody, and nothing of the file shall stand in a log.
        raise SealError("The sealed gold standard was damaged: upload it again.") from None
