"""The key that the site signs nanopublications and archives with: a file with an RSA key in one line of Base64."""

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import rsa

from bcms.lib.key_files import write_new_key_file
from bcms.lib.sealing import generate_public_and_private_key, parse_optional_private_key

KEY_COMMAND, KEY_SETTING = "make_nanopub_key", "NANOPUB_KEY_FILE"
# What the network of nanopublications uses.
NANOPUB_KEY_BITS = 2048


def read_optional_signing_key(path: str) -> rsa.RSAPrivateKey | None:
    """The key in the file that the setting names; None if it names none.

    ValueError if the file cannot be read or has no key; it does not quote the file.
    """
    if not path.strip():
        return None
    try:
        text = Path(path).read_text(encoding="ascii")
        key = parse_optional_private_key(text, KEY_SETTING, KEY_COMMAND)
    except OSError as error:
        raise ValueError(f"The file that {KEY_SETTING} names cannot be read: {error.strerror}.") from None
    except ValueError:
        key = None
    if key is None:
        problem = f"The file that {KEY_SETTING} names has no private key."
        raise ValueError(f"{problem} Make one with `manage.py {KEY_COMMAND}`, and do not change it.")
    return key


def write_new_signing_key(path: Path) -> None:
    """Make a key and write it to a new file that only its owner can read. FileExistsError if there is a file."""
    _, private = generate_public_and_private_key(NANOPUB_KEY_BITS)
    write_new_key_file(path, private)
