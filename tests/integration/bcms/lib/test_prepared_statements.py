"""Statements that a connection prepares once."""

import pytest
from django.db import connection, transaction
from django.db.utils import InternalError, NotSupportedError, ProgrammingError

from bcms.lib.prepared_statements import PreparedStatement

SUM = PreparedStatement("sum_of_test", {"one": "int", "other": "int"}, "SELECT %(one)s + %(other)s + %(one)s")
PREPARED = "SELECT count(*) FROM pg_prepared_statements WHERE name = 'sum_of_test'"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def new_connection(transactional_db):
    connection.close()
    yield
    connection.close()


def read(text, **values):
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return cursor.fetchone()[0]


def test_a_connection_prepares_it_once(django_assert_num_queries):
    with django_assert_num_queries(4):
        assert [read(SUM.get_ready_text(), one=number, other=10) for number in (1, 2, 3)] == [12, 14, 16]
    assert read(PREPARED) == 1


def test_a_new_connection_prepares_it_again():
    SUM.get_ready_text()
    connection.close()
    assert read(PREPARED) == 0
    assert read(SUM.get_ready_text(), one=1, other=2) == 4


def test_it_stays_prepared_when_the_transaction_is_rolled_back():
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        SUM.get_ready_text()
        raise ZeroDivisionError
    assert read(SUM.get_ready_text(), one=1, other=2) == 4


def test_it_is_not_taken_for_prepared_when_that_failed():
    wrong = PreparedStatement("wrong_of_test", {"one": "int"}, "SELECT %(one)s FROM nowhere")
    for _ in range(2):
        with pytest.raises(ProgrammingError, match="nowhere"):
            wrong.get_ready_text()


@pytest.fixture
def newest():
    """A statement whose columns have changed since it was prepared, as a migration by another process does it."""
    statement = PreparedStatement("newest_of_test", {"most": "int"}, "SELECT name FROM of_test LIMIT %(most)s")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE of_test AS SELECT 'one'::varchar(10) AS name")
    assert read(statement.get_ready_text(), most=1) == "one"
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE of_test ALTER name TYPE varchar(20)")
    return statement


def fail(newest):
    with pytest.raises(NotSupportedError, match="cached plan must not change result type"):
        read(newest.get_ready_text(), most=1)


def fail_in_transaction(newest):
    with transaction.atomic():
        fail(newest)
        transaction.set_rollback(True)


@pytest.mark.parametrize("failing", [fail, fail_in_transaction])
def test_it_is_prepared_anew_after_its_columns_have_changed(newest, failing, django_assert_num_queries):
    SUM.get_ready_text()
    failing(newest)
    assert read(newest.get_ready_text(), most=1) == "one"
    assert read(SUM.get_ready_text(), one=1, other=2) == 4
    with django_assert_num_queries(1):
        read(newest.get_ready_text(), most=1)


def test_it_is_prepared_anew_within_a_transaction_whose_savepoint_is_rolled_back(newest):
    with transaction.atomic():
        with transaction.atomic():
            fail(newest)
            transaction.set_rollback(True)
        assert read(newest.get_ready_text(), most=1) == "one"
    assert read(newest.get_ready_text(), most=1) == "one"


def test_a_failed_transaction_stays_failed(newest):
    with transaction.atomic():
        fail(newest)
        with pytest.raises(InternalError, match="current transaction is aborted"):
            newest.get_ready_text()
        transaction.set_rollback(True)
    assert read(newest.get_ready_text(), most=1) == "one"


def test_a_second_statement_with_the_same_name_is_refused():
    SUM.get_ready_text()
    other = PreparedStatement(SUM.name, SUM.types, "SELECT %(one)s - %(other)s")
    with pytest.raises(ProgrammingError, match='"sum_of_test" already exists'):
        other.get_ready_text()


def test_several_take_one_round_trip(django_assert_num_queries):
    other = PreparedStatement("other_of_test", {"one": "int"}, "SELECT %(one)s * 100")
    SUM.get_ready_text(), other.get_ready_text()
    with django_assert_num_queries(1):
        assert read(f"{SUM.get_ready_text()};{other.get_ready_text()}", one=3, other=1) == 300


def test_through_a_pooler_nothing_is_prepared(monkeypatch):
    monkeypatch.setitem(connection.settings_dict, "POOLED", True)
    assert SUM.get_ready_text() == SUM.sql
    assert read(SUM.get_ready_text(), one=1, other=2) == 4
    assert read(PREPARED) == 0
