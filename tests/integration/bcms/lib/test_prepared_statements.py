"""Statements that a connection prepares once."""

import pytest
from django.db import connection, transaction
from django.db.utils import ProgrammingError

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
