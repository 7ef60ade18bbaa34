"""Annotations in partitions by the id of their result: made ahead, and all of them found."""

import psycopg2
import pytest
from django.db import connection

from annotations.results.models import Annotation, Producer, Result
from annotations.results.storage import store_annotations
from annotations.schema import AnnotationData, Kind
from bcms.database import numbered_partitions, partitions
from bcms.database.numbered_partitions import analyze_if_grown, create_numbered_partitions_ahead
from bcms.database.partitions import count_rows_outside_partitions
from bcms.operations.annotation_partitions import ANNOTATIONS

pytestmark = pytest.mark.django_db
FIRST, DEFAULT = f"{ANNOTATIONS.name}_first", f"{ANNOTATIONS.name}_default"
# The first partition of a new site ends there.
END = 2 * ANNOTATIONS.size
GENE = AnnotationData(Kind.NORMALIZATION, database="entrezgene", identifier="999")


def store(article, *results):
    """Results with these ids, each with an annotation."""
    for number in results:
        producer = Producer.objects.create(sort="run", name=f"Run {number}")
        Result.objects.create(pk=number, article=article, text_version=1, kind="normalization", producer=producer)
    store_annotations((number, GENE) for number in results)


def read_partitions():
    """{id of a result: the name of the partition with its annotations}."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT result_id, tableoid::regclass::text FROM annotations_annotation")
        return dict(cursor.fetchall())


@pytest.fixture
def results_of_a_large_site(monkeypatch):
    monkeypatch.setattr(numbered_partitions, "READ_LAST_ID", f"SELECT {END + 7} WHERE %(table)s <> ''")


def test_a_small_site_has_one_partition(article):
    store(article, 7, END - 1)
    assert create_numbered_partitions_ahead(ANNOTATIONS) == 0
    assert read_partitions() == dict.fromkeys([7, END - 1], FIRST)


def test_partitions_are_made_ahead_and_get_the_rows_that_had_none(article, results_of_a_large_site):
    store(article, 7, END, END + ANNOTATIONS.size, END + 5 * ANNOTATIONS.size)
    assert count_rows_outside_partitions(ANNOTATIONS) == 3
    before = list(Annotation.objects.order_by("pk").values())

    assert create_numbered_partitions_ahead(ANNOTATIONS) == 2
    assert create_numbered_partitions_ahead(ANNOTATIONS) == 0

    assert read_partitions() == {
        **{7: FIRST, END: f"{ANNOTATIONS.name}_2", END + ANNOTATIONS.size: f"{ANNOTATIONS.name}_3"},
        END + 5 * ANNOTATIONS.size: DEFAULT,
    }
    assert list(Annotation.objects.order_by("pk").values()) == before
    assert Annotation.objects.filter(database="entrezgene", identifier="999").count() == 4
    store(article, END + 8)
    assert read_partitions()[END + 8] == f"{ANNOTATIONS.name}_2"


def test_a_new_partition_has_the_indexes_keys_checks_and_statistics_of_the_first(results_of_a_large_site):
    create_numbered_partitions_ahead(ANNOTATIONS)
    found = []
    for name in (FIRST, f"{ANNOTATIONS.name}_2"):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT regexp_replace(pg_get_indexdef(indexrelid), ' [a-z0-9_]+ ON [a-z0-9_.]+ ', ' ')"
                " FROM pg_index WHERE indrelid = %(table)s::regclass"
                " UNION ALL SELECT contype::text || ' ' || pg_get_constraintdef(oid) FROM pg_constraint"
                " WHERE conrelid = %(table)s::regclass AND contype <> 'n'"
                " UNION ALL SELECT regexp_replace(pg_get_statisticsobjdef(oid), 'STATISTICS .* ON |FROM .*', '', 'g')"
                " FROM pg_statistic_ext WHERE stxrelid = %(table)s::regclass ORDER BY 1",
                {"table": name},
            )
            found.append([row for (row,) in cursor.fetchall()])
    assert found[0] == found[1]
    assert sum("INDEX" in each for each in found[0]) == 5
    assert sum("REFERENCES annotations_result" in each for each in found[0]) == 1


def test_annotations_of_a_result_are_looked_for_in_one_partition(results_of_a_large_site):
    create_numbered_partitions_ahead(ANNOTATIONS)
    plan = Annotation.objects.filter(result__in=[7, 8]).explain()
    assert FIRST in plan and DEFAULT not in plan and f"{ANNOTATIONS.name}_2" not in plan


@pytest.mark.django_db(transaction=True)
def test_it_leaves_a_table_that_others_use_to_the_next_time(results_of_a_large_site, monkeypatch):
    monkeypatch.setattr(partitions, "TRIES", 1)
    monkeypatch.setattr(partitions, "LOCK_TIMEOUT", "1ms")
    other = psycopg2.connect(**connection.get_connection_params())
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM annotations_annotation")
        assert create_numbered_partitions_ahead(ANNOTATIONS) == 0
    finally:
        other.close()


@pytest.mark.django_db(transaction=True)
def test_statistics_of_the_whole_follow_many_new_rows(article):
    connection.cursor().execute(f"ANALYZE {ANNOTATIONS.name}")
    store(article, 7)
    store_annotations((7, GENE) for _ in range(1500))
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(f"ANALYZE {FIRST}")
    assert analyze_if_grown(ANNOTATIONS.name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE oid = %s::regclass", [ANNOTATIONS.name])
        assert cursor.fetchone() == (1501,)
    assert not analyze_if_grown(ANNOTATIONS.name)
