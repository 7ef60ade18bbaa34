"""The account that the client acts as."""

from bcms_client.calls import Call, get
from bcms_client.records.account import Account


def get_account() -> Call[Account]:
    """The account, its teams, and what its token permits. AuthenticationError without a token."""
    return get("account/", Account)
