"""What visitors see is counted by the database whenever it changes, and not when something else does."""

import re

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import resolve, reverse
from django.utils import timezone

from annotations.identifiers.models import Entry
from bcms.visitor_pages import changes, page_states
from bcms.visitor_pages.models import VisitorChange
from evaluation.leaderboards.models import Ranking
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.teams.models import Team
from tests.acceptance import page_table
from tests.acceptance.whole_site import make_site

pytestmark = pytest.mark.django_db

TABLE = r'\b(?:annotations|servers|evaluation|bcms|auth|account|mfa)_[a-z_]+(?=[\s";,)])'
# Of these the state of an article tells (page_states.ARTICLE_STATE).
TABLES_OF_ARTICLES = {
    *("annotations_article", "annotations_articlechange", "annotations_result", "annotations_annotation"),
    *("servers_call", "servers_attempt"),
}
ARTICLE_PAGES = ("article", "article-compare", "widget-article")


def read_changes():
    return page_states.read_site_state(None).changes


def read_article_changes(article):
    return page_states.read_article_state(RequestFactory().get("/"), ident=str(article.pmid)).changes


def test_the_database_has_the_triggers_that_are_listed():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text, tgname, encode(tgargs, 'escape') FROM pg_trigger"
            " WHERE tgfoid = %s::regproc AND tgenabled = 'O' AND tgrelid <> 'annotations_entry'::regclass",
            [changes.COUNTING_FUNCTION],
        )
        found = {
            (table, name): frozenset(arguments.split("\\000")[:-1]) for table, name, arguments in cursor.fetchall()
        }
    expected = {(table, f"{changes.TRIGGER}_update"): unseen for table, unseen in changes.SEEN_TABLES.items()}
    assert found == expected | {(table, changes.TRIGGER): frozenset() for table in changes.SEEN_TABLES}


def list_columns(table):
    (model,) = [each for each in apps.get_models(include_auto_created=True) if each._meta.db_table == table]
    return {field.column for field in model._meta.concrete_fields}


def test_columns_that_are_not_seen_exist():
    assert {table for table, unseen in changes.SEEN_TABLES.items() if unseen - list_columns(table)} == set()


def test_triggers_for_some_columns_are_for_all_that_are_seen():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text, array_agg(attname::text) FROM pg_trigger"
            " JOIN pg_attribute ON attrelid = tgrelid AND attnum = ANY(tgattr)"
            " WHERE tgfoid = %s::regproc GROUP BY 1",
            [changes.COUNTING_FUNCTION],
        )
        found = {table: set(columns) for table, columns in cursor.fetchall()}
    seen = list_columns("servers_server") - changes.SEEN_TABLES["servers_server"] - {"id"}
    assert found == {"servers_server": seen}


def test_it_counts_what_changes_once_for_each_statement(server):
    before = read_changes()
    Server.objects.update(name="Another name")
    assert read_changes() == before + 1
    Server.objects.update(name="Another name")
    Server.objects.update(version=7, lease_until=timezone.now())
    Server.objects.filter(pk=0).update(name="None")
    assert read_changes() == before + 1
    Server.objects.update(version=8, state=ServerState.ONLINE)
    assert read_changes() == before + 2
    Team.objects.bulk_create(Team(name=f"Team {number}", slug=f"team-{number}") for number in range(20))
    assert read_changes() == before + 3
    Team.objects.filter(slug="team-7").delete()
    assert read_changes() == before + 4


def test_it_counts_what_changes_of_entries_but_their_look_ups():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_get_triggerdef(oid) FROM pg_trigger"
            " WHERE tgrelid = 'annotations_entry'::regclass AND tgname = 'visitor_change_update'"
        )
        (definition,) = cursor.fetchone()
    counted = set(re.findall(r'\bold\."?(\w+)"?\)?(?:::\w+)? IS DISTINCT', definition))
    assert counted == list_columns("annotations_entry") - changes.UNSEEN_ENTRY_COLUMNS - {"id"}

    before = read_changes()
    entry = Entry.objects.create(database="uniprot", identifier="P12830", reported=True)
    Entry.objects.update(due=timezone.now(), listed=True)
    assert read_changes() == before
    entries = [Entry(database="uniprot", identifier=f"Q{number}", exists=True) for number in range(20)]
    Entry.objects.bulk_create(entries)
    assert read_changes() == before + 1
    Entry.objects.update(symbol="CDH1")
    assert read_changes() == before + 2
    assert set(Entry.objects.values_list("symbol", flat=True)) == {"CDH1"}
    entry.delete()
    assert (read_changes(), Entry.objects.count()) == (before + 3, 20)


def test_what_only_pages_of_challenges_show_does_not_count_for_articles(article, server, challenge):
    task, phase = challenge.tasks.first(), challenge.phases.first()
    of_site, of_article = read_changes(), read_article_changes(article)
    ranking = Ranking.objects.create(task=task, phase=phase, scenario="full", measure="f1")
    assert (read_changes(), read_article_changes(article)) == (of_site + 1, of_article)
    # One statement that changes tables of both sorts.
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH ranked AS (UPDATE evaluation_ranking SET done = 7) UPDATE servers_server SET name = 'Another'"
        )
    assert (read_changes(), read_article_changes(article)) == (of_site + 3, of_article + 1)
    ranking.delete()
    assert (read_changes(), read_article_changes(article)) == (of_site + 4, of_article + 1)


def test_it_takes_back_what_is_rolled_back(server):
    before = read_changes()
    with transaction.atomic():
        Server.objects.update(name="Another name")
        transaction.set_rollback(True)
    assert read_changes() == before


def test_united_changes_have_the_same_sum(server, article):
    VisitorChange.objects.bulk_create(VisitorChange(number=2) for _ in range(changes.MOST_ROWS + 1))
    before, rows = read_changes(), VisitorChange.objects.count()
    assert changes.unite_changes() == rows
    assert (read_changes(), VisitorChange.objects.count()) == (before, 1)
    VisitorChange.objects.bulk_create(VisitorChange(of_boards=number % 2) for number in range(changes.MOST_ROWS))
    of_article = read_article_changes(article)
    changes.unite_changes()
    assert (read_changes(), read_article_changes(article)) == (before + changes.MOST_ROWS, of_article)
    assert VisitorChange.objects.count() == 2
    assert changes.unite_changes() == 0


def test_pages_that_are_kept_read_nothing_whose_changes_are_not_counted(server, alice, olga, django_user_model):
    site = make_site(server, alice, olga, django_user_model.objects.create_user)
    existing = set(connection.introspection.table_names())
    uncounted: dict[str, set[str]] = {}
    read_by_articles: set[str] = set()
    pages = page_table.pages(site)
    board = next(address.partition("?")[0] for who, address in pages["leaderboard"] if who == "visitor")
    names = [name for name in page_states.PAGE_STATES if name.startswith("leaderboard-")]
    parts = resolve(board).kwargs
    pages |= {name: [("visitor", reverse(name, kwargs=parts))] for name in names}
    pages["widget-article"] = [("visitor", reverse("widget-article", args=[page_table.PMID]))]
    for name, visits in pages.items():
        for address in [address for who, address in visits if who == "visitor" and name in page_states.PAGE_STATES]:
            with CaptureQueriesContext(connection) as queries:
                response = Client().get(address)
            if response.status_code == 200:
                read = set(re.findall(TABLE, " ".join(query["sql"] for query in queries.captured_queries))) & existing
                if name in ARTICLE_PAGES:
                    read_by_articles |= read
                uncounted.setdefault(name, set()).update(read - {"bcms_visitorchange"} - changes.SEEN_TABLES.keys())
    assert not read_by_articles & changes.BOARD_TABLES
    for name in ARTICLE_PAGES:
        # Summaries, which are some seconds behind, say how many other articles have both of two entities.
        assert uncounted.pop(name) <= TABLES_OF_ARTICLES | {"annotations_entry", "annotations_articlesummary"}
    assert uncounted == {name: set() for name in page_states.PAGE_STATES if name not in ARTICLE_PAGES}
