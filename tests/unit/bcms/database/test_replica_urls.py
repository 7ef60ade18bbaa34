"""The names of the URLs that a replica answers."""

from django.urls import get_resolver

from bcms.middleware.replica import REPLICA_URLS


def test_the_names_of_urls_exist():
    assert REPLICA_URLS.keys() <= {name for name in get_resolver().reverse_dict if name}
