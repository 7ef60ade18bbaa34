"""Encrypt test gold standards so that only the holder of the private key can read them.

Each file is encrypted with a random key (Fernet: AES-128-CBC and HMAC-SHA256), and this key with the public key of the
site (RSA-OAEP with SHA-256, RFC 8017). A sealed file has three printable parts, separated by line breaks: a header with
the fingerprint of the key pair, the encrypted key, and the Fernet token.
"""

from cryptography.hazmat.primitives.asymmetric import rsa

from bcms.lib import sealing
from bcms.lib.sealing import generate_public_and_private_key as generate_public_and_private_key
from evaluation.errors import SealError

SEAL_HEADER = b"bcms-sealed-1 "
KEY_COMMAND = "make_gold_key"


def parse_optional_public_key(text: str) -> rsa.RSAPublicKey | None:
    """The public key in the text of a setting; None if the text is empty, ValueError if it is not a public key."""
    return sealing.parse_optional_public_key(text, "GOLD_PUBLIC_KEY", KEY_COMMAND)


def parse_optional_private_key(text: str) -> rsa.RSAPrivateKey | None:
    """The private key in the text of a setting; None if the text is empty, ValueError if it is not a private key.

    The error does not quote the text.
    """
    return sealing.parse_optional_private_key(text, "GOLD_PRIVATE_KEY", KEY_COMMAND)


def compute_key_fingerprint(public_key: rsa.RSAPublicKey) -> str:
    """The first 16 digits of the SHA-256 of the public key."""
    return sealing.compute_public_key_sha256(public_key)[:16]


def seal_content(content: bytes, public_key: rsa.RSAPublicKey) -> bytes:
    """Encrypt a file. Sealing the same content again gives different bytes."""
    header = SEAL_HEADER + compute_key_fingerprint(public_key).encode("ascii")
    return header + b"\n" + sealing.encrypt_content(content, public_key)


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
        return sealing.decrypt_content(sealed_content.partition(b"\n")[2], private_key)
    except sealing.DamagedContentError:
        raise SealError("The sealed gold standard is damaged. Upload it again.") from None
