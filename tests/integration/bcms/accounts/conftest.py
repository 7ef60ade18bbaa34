"""A provider by which people can log in."""

import pytest

from tests.identity_provider import IdentityProvider


@pytest.fixture
def provider(settings):
    """Logs in one person, whose name and confirmed address it tells."""
    person = {"name": "Ada L.", "email": "ada@example.org", "email_verified": True}
    with IdentityProvider(**person) as provider:
        settings.LOGIN_PROVIDERS = (provider.configure(),)
        settings.ALLOWED_NETWORKS = ["127.0.0.0/8"]
        yield provider
