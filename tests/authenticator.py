"""An authenticator app: the six digits of a key at this moment (RFC 6238, with SHA-1 and steps of 30 s)."""

import hashlib
import hmac
import time
from base64 import b32decode


def compute_totp_code(secret: str, later: int = 0) -> str:
    """The code of now, or of so many steps later."""
    step = int(time.time()) // 30 + later
    mac = hmac.new(b32decode(secret), step.to_bytes(8, "big"), hashlib.sha1).digest()
    at = mac[-1] & 15
    number = int.from_bytes(mac[at : at + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**6:06}"
