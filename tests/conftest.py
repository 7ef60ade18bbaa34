"""The small fixed cast: one owns a server, one is on no team, one organizes; and one article in sight."""

import gc
import os
import random
import secrets
from itertools import count

import hypothesis
import pytest
from django.conf import settings
from django.db.utils import OperationalError
from psycopg2.errors import DeadlockDetected
from xdist.scheduler import LoadScopeScheduling

from annotations.schema import Kind
from bcms.article_page.collation.loaded_annotations import forget_annotations
from bcms.article_page.records.kept_records import forget_records
from bcms.database.reply_limits import set_limit_of_thread
from bcms.visitor_pages import kept_pages, pages_being_made
from tests.integration.evaluation_cast import make_challenge, make_corpus
from tests.integration.pooling_cast import make_judges
from tests.migrated_database import create_migrated_database, execute, start_writing_dump, stop_writing_dump

TITLE = "Loss of CDH1 releases CTNNB1"
ABSTRACT = "In mouse cells E-cadherin (CDH1) binds beta-catenin (CTNNB1). α-catenin was not needed."

NUMBERS = count()
# Tests that share a running deployment, or start a whole site, of which one at a time is enough for the machine.
SHARED_SERVICES = ("tests/deployment/", "tests/integration/servers/calls/test_crashes.py")
# Of one test with requests that nobody waits for any more.
MOST_DEADLOCKS = 3
TABLES_MADE_OF_MODELS = ("django_content_type", "auth_permission")
# The same examples in every run, of which fifty are enough for simple properties, and no time limit for one: the
# machine may be busy.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=50)
hypothesis.settings.load_profile("repeatable")


def pytest_configure():
    """Tests would do a thousand times what the site does slowly on purpose, hash passwords, or once when it starts,
    look through its static files."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.WHITENOISE_AUTOREFRESH = True


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Ten thousand tests and all modules stay until the end: whoever looks for garbage need not look through them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000, 20, 20)
        gc.enable()


def pytest_xdist_auto_num_workers():
    """Two processes more than there are processors: many tests wait for a service or a browser."""
    return len(os.sched_getaffinity(0)) + 2


class SharedServicesScheduling(LoadScopeScheduling):
    """Hands out test by test, but all tests of SHARED_SERVICES to one process."""

    def _split_scope(self, nodeid):
        return "shared services" if nodeid.startswith(SHARED_SERVICES) else nodeid


def pytest_xdist_make_scheduler(config, log):
    """For `--dist loadgroup`, whose own groups pytest-xdist 3.8 does not see with pytest 9.2."""
    return SharedServicesScheduling(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_xdist_setupnodes(config):
    """The database is migrated by one process while the others collect the tests, and would only wait for it later."""
    migrating = start_writing_dump(config._tmp_path_factory.getbasetemp())
    config.add_cleanup(lambda: stop_writing_dump(migrating))


def pytest_make_parametrize_id(val, argname):
    """Bytes that are no plain text are named by their argument: what is packed holds the time of its packing,
    and processes that share the tests must find the same names."""
    return argname if isinstance(val, bytes) and not val.isascii() else None


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory, worker_id):
    """A folder of this run, which the processes that share its tests have in common."""
    folder = tmp_path_factory.getbasetemp()
    return folder if worker_id == "master" else folder.parent


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings, shared_folder):
    """The database is there before pytest-django looks for it, and migrated: so it has nothing to do."""
    from django.db import connection

    name = connection.creation._get_test_db_name()
    create_migrated_database(name, shared_folder)
    yield True
    execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup):
    """What a test has committed is deleted after it: of many tables with few rows that is quicker by far than TRUNCATE.
    As there, whoever still writes is waited for. What Django makes of the models stays, as making it anew takes longer
    than most tests."""
    from django.core.management.commands import flush
    from django.db.backends.postgresql.operations import DatabaseOperations

    def deleting(operations, style, tables, **_):
        names = [operations.quote_name(table) for table in tables if table not in TABLES_MADE_OF_MODELS]
        # The audit trail lets nobody delete its rows. A table cannot be altered while foreign keys wait to be checked.
        unchecked = "SET LOCAL session_replication_role = replica;"
        off, on = (f"ALTER TABLE servers_auditevent {word} TRIGGER USER;" for word in ("DISABLE", "ENABLE"))
        deletions = "".join(f"DELETE FROM {name};" for name in names)
        return [f"LOCK TABLE {', '.join(names)};{unchecked}{off}{deletions}{on}"]

    execute_once = DatabaseOperations.execute_sql_flush

    def execute_until_others_are_done(operations, statements):
        """A request whose browser is closed still reads one table after the other, and so may wait for this one."""
        for _ in range(MOST_DEADLOCKS):
            try:
                return execute_once(operations, statements)
            except OperationalError as error:
                if not isinstance(error.__cause__, DeadlockDetected):
                    raise
        return execute_once(operations, statements)

    # Of the class: beside a browser a test can have another connection than this one.
    DatabaseOperations.sql_flush = deleting
    DatabaseOperations.execute_sql_flush = execute_until_others_are_done
    flush.emit_post_migrate_signal = lambda *_, **__: None


@pytest.fixture(autouse=True)
def repeatable_keys(request, monkeypatch):
    """Opaque ids, keys and references are the same in every run of a test. The ids and keys have no digits:
    random ones would at times contain the number that a test searches a page for."""
    generator = random.Random(request.node.nodeid)
    monkeypatch.setattr(secrets, "token_hex", lambda size: "".join(generator.choices("abcdef", k=2 * size)))
    monkeypatch.setattr(secrets, "randbelow", generator.randrange)


@pytest.fixture(autouse=True)
def nothing_counted(settings):
    """Every test begins with no log-ins counted."""
    settings.CACHES = {"default": {**settings.CACHES["default"], "KEY_PREFIX": f"test-{next(NUMBERS)}"}}


def confirm_email_address(user):
    """The user once more, who has shown that the address is theirs: nobody logs in without."""
    from allauth.account.models import EmailAddress

    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


@pytest.fixture(autouse=True)
def no_kept_pages():
    """The numbers of changes begin anew with each test."""
    kept_pages.forget_pages()
    pages_being_made.forget_unkept_pages()
    forget_annotations()
    forget_records()


@pytest.fixture(autouse=True)
def no_limit_of_replies():
    """Requests of a test leave a limit with its thread, as with those of the site."""
    yield
    set_limit_of_thread(None)


@pytest.fixture
def article(db):
    from annotations.articles.models import Article

    passages = [{"type": "title", "text": TITLE}, {"type": "abstract", "text": ABSTRACT}]
    return Article.objects.create(
        pmid=10000001,
        passages=passages,
        text=f"{TITLE}\n{ABSTRACT}",
        content_hash="0" * 64,
        journal="J Cell Ex",
        year=2026,
    )


@pytest.fixture
def alice(db, django_user_model):
    """Manager of the team that owns the server."""
    return confirm_email_address(django_user_model.objects.create_user("alice", "alice@example.org", "a-long-password"))


@pytest.fixture
def as_alice(client, alice):
    """A client that has logged in as alice."""
    client.force_login(alice)
    return client


@pytest.fixture
def carol(db, django_user_model):
    """Logged in, on no team: must see nothing that is not public."""
    return confirm_email_address(django_user_model.objects.create_user("carol", "carol@example.org", "a-long-password"))


@pytest.fixture
def olga(db, django_user_model):
    """Organizer of the challenge."""
    return confirm_email_address(django_user_model.objects.create_user("olga", "olga@example.org", "a-long-password"))


@pytest.fixture
def team(alice):
    from servers.teams.models import Membership, Team

    team = Team.objects.create(name="Team Alpha", slug="team-alpha")
    Membership.objects.create(team=team, user=alice, role="manager")
    return team


@pytest.fixture
def server(team):
    from servers.registry.models import Server

    return Server.objects.create(
        review="accepted",
        team=team,
        name="GeneDict",
        slug="genedict",
        url="http://127.0.0.1:9/",
        kinds=[Kind.MENTION.value, Kind.NORMALIZATION.value],
    )


@pytest.fixture
def judges():
    """Curators who judge a pool."""
    return make_judges("jo", "kim")


@pytest.fixture
def challenge(olga):
    """A challenge with one training phase over a corpus of four articles."""
    return make_challenge(olga, make_corpus())
