"""The account that the requests of a client act as. Times are aware."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRole:
    """A team of the account, and what the account is in it: manager or member."""

    slug: str
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnToken:
    """The token of the request; scopes: what it permits; expires: None if it is valid until it is revoked."""

    name: str
    scopes: tuple[str, ...]
    expires: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """token: None if the request was not authenticated by one."""

    username: str
    email: str
    staff: bool
    teams: tuple[OwnRole, ...]
    token: OwnToken | None
