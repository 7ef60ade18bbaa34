"""Sign the files of an archive with the site's key, and check the signature of an archive.

What is signed is a list of checksums, as sha256sum writes and checks it: with RSA and SHA-256 (PKCS #1 v1.5, RFC 8017),
as openssl checks it. The same files and key give the same bytes.
"""

import zipfile
from collections.abc import Mapping

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from bcms.lib.sealing import MIN_KEY_BITS, compute_public_key_sha256
from evaluation.archives.errors import GET_ARCHIVE_AGAIN, ChallengeArchiveError
from evaluation.archives.zip_writer import ArchiveWriter

KEY_NAME, CHECKSUMS_NAME, SIGNATURE_NAME = "signing-key.pem", "checksums.sha256", "checksums.sha256.sig"
# Keys of more bits take long.
MAX_KEY_BITS, MAX_KEY_BYTES, MAX_SIGNATURE_BYTES = 8192, 4096, 1024
MAX_CHECKSUMS_BYTES = 64 << 20


def encode_public_key_as_pem(key: rsa.RSAPublicKey) -> bytes:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def add_signature(writer: ArchiveWriter, key: rsa.RSAPrivateKey) -> None:
    """Add the public key, the checksums of all files that the archive has now, and the signature of these."""
    writer.add(KEY_NAME, encode_public_key_as_pem(key.public_key()))
    checksums = _format_checksums({name: file.sha256 for name, file in writer.files.items()})
    writer.add(CHECKSUMS_NAME, checksums)
    writer.add(SIGNATURE_NAME, key.sign(checksums, padding.PKCS1v15(), hashes.SHA256()))


def _format_checksums(checksums: Mapping[str, str]) -> bytes:
    return "".join(f"{checksum}  {name}\n" for name, checksum in sorted(checksums.items())).encode()


def verify_signature_returning_signer(archive: zipfile.ZipFile, listed: Mapping[str, str]) -> str:
    """The SHA-256 of the public key that the archive was signed with; empty if it is not signed.

    listed: {name of a file: its checked SHA-256}. ChallengeArchiveError if the signature is not of these files. Whose
    key it is has to be compared with what its site says.
    """
    if not {CHECKSUMS_NAME, SIGNATURE_NAME} & listed.keys():
        return ""
    key = _parse_key(_read_small_member(archive, KEY_NAME, MAX_KEY_BYTES))
    checksums = _read_small_member(archive, CHECKSUMS_NAME, MAX_CHECKSUMS_BYTES)
    signature = _read_small_member(archive, SIGNATURE_NAME, MAX_SIGNATURE_BYTES)
    signed = {name: checksum for name, checksum in listed.items() if name not in (CHECKSUMS_NAME, SIGNATURE_NAME)}
    try:
        key.verify(signature, checksums, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        raise _make_signature_error(f"{SIGNATURE_NAME} in the archive is not a signature of {CHECKSUMS_NAME}") from None
    if checksums != _format_checksums(signed):
        raise _make_signature_error("Files of the archive were changed after it was signed")
    return compute_public_key_sha256(key)


def describe_signer(signer: str, own_key: rsa.RSAPrivateKey | None) -> str:
    """Who signed an archive, as a sentence. signer: as verified; own_key: that of this site."""
    if not signer:
        return "The archive is not signed, so nothing says whether it was changed."
    if own_key and compute_public_key_sha256(own_key.public_key()) == signer:
        return "This site signed the archive, and nobody has changed it."
    return (
        f"The archive is signed with the key {signer} of another site. If that is what the site says under “About”, "
        "nobody has changed it."
    )


def _read_small_member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """ChallengeArchiveError if the archive has no such file, or it is larger than `most` bytes."""
    try:
        entry = archive.getinfo(name)
    except KeyError:
        raise _make_signature_error(f"The archive is signed, but has no {name}") from None
    if entry.file_size > most:
        raise _make_signature_error(f"{name} in the archive is too large")
    return archive.read(name)


def _parse_key(pem: bytes) -> rsa.RSAPublicKey:
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, rsa.RSAPublicKey) or not MIN_KEY_BITS <= key.key_size <= MAX_KEY_BITS:
        raise _make_signature_error(f"{KEY_NAME} in the archive is not a public RSA key of {MIN_KEY_BITS} bits or more")
    return key


def _make_signature_error(problem: str) -> ChallengeArchiveError:
    return ChallengeArchiveError(f"{problem}: {GET_ARCHIVE_AGAIN}.")
