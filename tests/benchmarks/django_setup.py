"""Django for a benchmark, on an empty database."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from bcms.local import services

SETTINGS = {
    "SECRET_KEY": "only-for-benchmarks",
    "ALLOWED_NETWORKS": "127.0.0.0/8",
    "LOG_LEVEL": "WARNING",
    "DJANGO_SETTINGS_MODULE": "bcms.settings",
}


@contextmanager
def set_up_empty_site() -> Iterator[None]:
    """Set up Django on the empty database and the broker that the environment names, or on services of its own."""
    with services.run_temporary_services() as urls:
        os.environ |= SETTINGS | urls
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        check_is_empty()
        show_contexts_to_client()
        yield
        from django.db import connection

        connection.close()


@contextmanager
def set_up_site(articles: int) -> Iterator[None]:
    """Set up Django on the database that the environment names, whatever it holds, or on one with so many articles."""
    if articles:
        with set_up_empty_site():
            from tests.benchmarks.annotated_articles import make_annotated_articles

            make_annotated_articles(articles, 8)
            yield
        return
    for name in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY"):
        if name not in os.environ:
            raise SystemExit(f"Give --articles, or set {name} to use the articles of an existing database.")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
    import django

    django.setup()
    show_contexts_to_client()
    yield


def check_is_empty() -> None:
    from annotations.articles.models import Article
    from servers.teams.models import Team

    if Article.objects.exists() or Team.objects.exists():
        raise SystemExit("The database is not empty: unset DATABASE_URL, or name an empty one.")


def show_contexts_to_client() -> None:
    """Django's test client gives the context of a page only then."""
    from django.test.utils import setup_test_environment

    setup_test_environment()
