"""Encrypt content so that only the holder of a private key can read it.

Each content is encrypted with a random key (Fernet: AES-128-CBC and HMAC-SHA256), and this key with a public key
(RSA-OAEP with SHA-256, RFC 8017). Sealed content has two printable lines: the encrypted key and the Fernet token.
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

MIN_KEY_BITS = 2048
DEFAULT_KEY_BITS = 3072
OAEP_PADDING = padding.OAEP(mgf=padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None)


class DamagedContentError(Exception):
    """Sealed content cannot be opened: it is damaged, or was sealed with another key. Nothing of it is quoted."""


def generate_public_and_private_key(key_bits: int = DEFAULT_KEY_BITS) -> tuple[str, str]:
    """A new public key and its private key, each as one line of Base64. key_bits: size of the RSA key."""
    private = rsa.generate_private_key(public_exponent=65537, key_size=key_bits)
    return encode_public_key(private.public_key()), encode_private_key(private)


def encode_private_key(key: rsa.RSAPrivateKey) -> str:
    """One line of Base64, not encrypted."""
    return _encode_der(key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))


def encode_public_key(key: rsa.RSAPublicKey) -> str:
    return _encode_der(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


def compute_public_key_sha256(key: rsa.RSAPublicKey) -> str:
    """What identifies a key pair: the SHA-256 of its public key in DER, in hexadecimal."""
    return sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def _encode_der(der: bytes) -> str:
    return base64.b64encode(der).decode("ascii")


def parse_optional_public_key(text: str, setting: str, command: str) -> rsa.RSAPublicKey | None:
    """The public key in the text of a setting; None if the text is empty, ValueError if it is not a public key.

    command: the command that prints the key.
    """
    if not text.strip():
        return None
    try:
        key = load_der_public_key(base64.b64decode(text.strip(), validate=True))
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, rsa.RSAPublicKey) or key.key_size < MIN_KEY_BITS:
        raise ValueError(f"{setting} is not a public key. Copy the line that `manage.py {command}` printed.")
    return key


def parse_optional_private_key(text: str, setting: str, command: str) -> rsa.RSAPrivateKey | None:
    """The private key in the text of a setting; None if the text is empty, ValueError if it is not a private key.

    The error does not quote the text. command: the command that prints the key.
    """
    if not text.strip():
        return None
    try:
        key = load_der_private_key(base64.b64decode(text.strip(), validate=True), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, rsa.RSAPrivateKey) or key.key_size < MIN_KEY_BITS:
        raise ValueError(f"{setting} is not a private key. Copy the line that `manage.py {command}` printed.")
    return key


def encrypt_content(content: bytes, public_key: rsa.RSAPublicKey) -> bytes:
    """Seal content. Sealing the same content again gives different bytes."""
    content_key = Fernet.generate_key()
    encrypted_key = base64.b64encode(public_key.encrypt(content_key, OAEP_PADDING))
    return encrypted_key + b"\n" + Fernet(content_key).encrypt(content)


def decrypt_content(sealed: bytes, private_key: rsa.RSAPrivateKey) -> bytes:
    """Open sealed content. DamagedContentError if that fails."""
    try:
        encrypted_key, token = sealed.split(b"\n", 1)
        return Fernet(private_key.decrypt(base64.b64decode(encrypted_key), OAEP_PADDING)).decrypt(token)
    except (ValueError, InvalidToken):
        # Without the cause, so that no part of the content can get into a log.
        raise DamagedContentError from None
