"""Check what a provider has signed about a person (OpenID Connect Core 1.0, section 3.1.3.7).

RS256 is the only accepted algorithm, whatever the token or the key names; the key is one of the provider's own list,
never one that the token brings along. allauth would skip the signature, and takes the algorithm from the token.
"""

import hmac
import re
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.algorithms import RSAAlgorithm

from annotations.orcids import parse_orcid
from bcms.accounts.providers.configuration import ORCID_ISSUER, LoginProvider
from bcms.accounts.providers.errors import ProviderError
from bcms.accounts.providers.metadata import load_keys

ALGORITHM = "RS256"
# Clocks may differ by so many seconds.
LEEWAY = 60
# What the standard requires, but for nonce, which is compared.
REQUIRED = ["iss", "sub", "aud", "exp", "iat"]
# The standard allows 255; the column of the database is shorter.
SUBJECT = re.compile(r"[\x21-\x7e]{1,191}")
SMALLEST_KEY, LARGEST_KEY = 2048, 8192
LONGEST_TOKEN = 20_000


def verify_id_token(token: str, provider: LoginProvider, nonce: str) -> dict[str, Any]:
    """The claims of a token that the provider has made for this site and this log-in. Raises ProviderError."""
    if len(token) > LONGEST_TOKEN:
        raise ProviderError(f"The token of {provider.issuer} is too long")
    try:
        header = jwt.get_unverified_header(token)
        key = _find_key(header, provider)
        claims: dict[str, Any] = jwt.decode(
            token,
            key=key,
            algorithms=[ALGORITHM],
            audience=provider.client_id,
            issuer=provider.issuer,
            leeway=LEEWAY,
            options={"require": REQUIRED},
        )
    except (jwt.PyJWTError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ProviderError(f"The token of {provider.issuer} is not valid ({type(error).__name__})") from None
    _check_claims(claims, provider, nonce)
    return claims


def _find_key(header: dict[str, Any], provider: LoginProvider) -> RSAPublicKey:
    if header.get("alg") != ALGORITHM:
        raise ProviderError(f"The token of {provider.issuer} is not signed with {ALGORITHM}")
    kid = header.get("kid")
    found = _select_keys(load_keys(provider), kid) or _select_keys(load_keys(provider, again=True), kid)
    if len(found) != 1:
        raise ProviderError(f"{provider.issuer} has {len(found)} keys for its token, not one")
    key = RSAAlgorithm.from_jwk(found[0])
    if not isinstance(key, RSAPublicKey) or not SMALLEST_KEY <= key.key_size <= LARGEST_KEY:
        raise ProviderError(f"The key of {provider.issuer} is no public key of {SMALLEST_KEY} bits or more")
    return key


def _select_keys(keys: list[dict[str, Any]], kid: Any) -> list[dict[str, Any]]:
    """The keys that may have signed it: that with the name, or all if the token names none.

    Who publishes a private key does not know what they do; to find the primes of one takes a web server minutes.
    """
    return [
        key
        for key in keys
        if key.get("kty") == "RSA"
        and "d" not in key
        and key.get("use", "sig") == "sig"
        and key.get("alg", ALGORITHM) == ALGORITHM
        and (kid is None or key.get("kid") == kid)
    ]


def _check_claims(claims: dict[str, Any], provider: LoginProvider, nonce: str) -> None:
    said = claims.get("nonce")
    # JSON can contain halves of characters, which are no text that can be compared as bytes.
    if not isinstance(said, str) or not said.isascii() or not hmac.compare_digest(said, nonce):
        raise ProviderError(f"The token of {provider.issuer} was made for another log-in")
    # Made for several sites, one of which could hand it on, unless it names this one.
    if claims["aud"] not in (provider.client_id, [provider.client_id]) or (
        claims.get("azp", provider.client_id) != provider.client_id
    ):
        raise ProviderError(f"The token of {provider.issuer} was made for others, too")
    subject = claims["sub"]
    if not isinstance(subject, str) or not SUBJECT.fullmatch(subject):
        raise ProviderError(f"{provider.issuer} does not name the person by a text of 1 to 191 characters")
    if provider.issuer == ORCID_ISSUER and not _is_orcid(subject):
        raise ProviderError("ORCID names the person by something else than an iD")


def _is_orcid(subject: str) -> bool:
    try:
        return parse_orcid(subject) == subject
    except ValueError:
        return False
