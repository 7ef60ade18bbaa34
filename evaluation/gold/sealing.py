"""Encrypt test gold standards so that only the holder of the private key can read them.

Each file is encrypted with a random key (Fernet: AES-128-CBC and HMAC-SHA256), and this key with the public key of the
site (RSA-OAEP with SHA-256, RFC 8017). A sealed file has three printable parts, separated by line breaks: a header with
the fingerprint of the key pair, the encrypted key, and the Fernet token.
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

from evaluation.errors import SealError

SEAL_HEADER = b"bcms-sealed-1 "
MIN_KEY_BITS = 2048
DEFAULT_KEY_BITS = 3072
OAEP_PADDING = padding.OAEP(mgf=padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None)


def generate_public_and_private_key(key_bits: int = DEFAULT_KEY_BITS) -> tuple[str, str]:
    """A new public key and its private key, each as one line of Base64. key_bits: size of the RSA key."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=key_bits)
    return _encode_public_key(private.public_key()), _encode_der(
        private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    )


def _encode_public_key(key: rsa.RSAPublicKey) -> str:
    return _encode_der(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


def _encode_der(der: bytes) -> str:
    return base64.b64encode(der).decode("ascii")


def parse_optional_public_key(text: str) -> rsa.RSAPublicKey | None:
    """The public key in the text of a setting; None if the text is empty, ValueError if it is not a public key."""
    if not text.strip():
        return None
    try:
        key = load_der_public_key(base64.b64decode(text.strip(), validate=True))
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, rsa.RSAPublicKey) or key.key_size < MIN_KEY_BITS:
        raise ValueError("GOLD_PUBLIC_KEY is not a public key. Copy the line that `manage.py make_gold_key` printed.")
    return key


def parse_optional_private_key(text: str) -> rsa.RSAPrivateKey | None:
    """The private key in the text of a setting; None if the text is empty, ValueError if it is not a private key.

    The error does not quote the text.
    """
    if not text.strip():
        return None
    try:
        key = load_der_private_key(base64.b64decode(text.strip(), validate=True), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, rsa.RSAPrivateKey) or key.key_size < MIN_KEY_BITS:
        raise ValueError("GOLD_PRIVATE_KEY is not a private key. Copy the line that `manage.py make_gold_key` printed.")
    return key


def compute_key_fingerprint(public_key: rsa.RSAPublicKey) -> str:
    """What identifies a key pair: the first 16 hexadecimal digits of the SHA-256 of its public key."""
    return sha256(public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()[:16]


def seal_content(content: bytes, public_key: rsa.RSAPublicKey) -> bytes:
    """Encrypt a file. Sealing the same content again gives different bytes."""
    file_key = Fernet.generate_key()
    encrypted_key = base64.b64encode(public_key.encrypt(file_key, OAEP_PADDING))
    return b"\n".join(
        [
            SEAL_HEADER + compute_key_fingerprint(public_key).encode("ascii"),
            encrypted_key,
            Fernet(file_key).encrypt(content),
        ]
    )


def read_seal_fingerprint(sealed_content: bytes) -> str:
    """The fingerprint of the key pair with which a file was sealed; SealError if it is not a sealed file."""
    head, _, _ = sealed_content.partition(b"\n")
    if not head.startswith(SEAL_HEADER):
        raise SealError("The file is not sealed. Upload the gold standard again.")
    return head.removeprefix(SEAL_HEADER).decode("ascii", "replace")


def unseal_content(sealed_content: bytes, private_key: rsa.RSAPrivateKey | None) -> bytes:
    """Decrypt a sealed file. SealError without a key, with the wrong key, and for a damaged file."""
    sealed_with = read_seal_fingerprint(sealed_content)
    if private_key is None:
        raise SealError("The private key is missing. Start the scoring worker with GOLD_PRIVATE_KEY.")
    fingerprint = compute_key_fingerprint(private_key.public_key())
    if fingerprint != sealed_with:
        raise SealError(
            f"The gold standard was sealed with the key {sealed_with}, but the scoring worker has the key "
            f"{fingerprint}. Start the worker with the matching key, or upload the gold standard again."
        )
    try:
        _, encrypted_key, token = sealed_content.split(b"\n", 2)
        return Fernet(private_key.decrypt(base64.b64decode(encrypted_key), OAEP_PADDING)).decrypt(token)
    except (ValueError, InvalidToken):
        # Without the cause, so that no part of the file can get into a log.
        raise SealError("The sealed gold standard is damaged. Upload it again.") from None
