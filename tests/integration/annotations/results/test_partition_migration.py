"""The migrations that put annotations in partitions, with data, there and back."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = pytest.mark.long
BEFORE = [("annotations", "0029_suggestions_of_reviewers")]
AFTER = [("annotations", "0031_partitioned_annotations")]
# Its columns, constraints, indexes and statistics, without the names of keys.
DESCRIBE_TABLE = """
SELECT attname || ' ' || attidentity::text || attnotnull::text FROM pg_attribute WHERE attrelid = TABLE AND attnum > 0
UNION ALL SELECT conname || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = TABLE AND contype = 'c'
UNION ALL SELECT contype::text || pg_get_constraintdef(oid) FROM pg_constraint
    WHERE conrelid = TABLE AND contype IN ('p', 'f')
UNION ALL SELECT regexp_replace(pg_get_indexdef(indexrelid), 'annotations_annotation_[a-z0-9_]+', '')
    FROM pg_index WHERE indrelid = TABLE
UNION ALL SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext WHERE stxrelid = TABLE ORDER BY 1
""".replace("TABLE", "'annotations_annotation'::regclass")


def migrate(target):
    executor = MigrationExecutor(connection)
    executor.migrate(target)
    return MigrationExecutor(connection).loader.project_state(target).apps


def make_annotations(apps, number):
    article, _ = apps.get_model("annotations", "Article").objects.get_or_create(
        pmid=1, defaults={"text": "", "passages": [], "content_hash": ""}
    )
    producer = apps.get_model("annotations", "Producer").objects.create(name=f"Run {number}", sort="run")
    result = apps.get_model("annotations", "Result").objects.create(
        pk=number, article=article, text_version=1, kind="normalization", producer=producer
    )
    apps.get_model("annotations", "Annotation").objects.bulk_create(
        apps.get_model("annotations", "Annotation")(result=result, database="entrezgene", identifier=str(each))
        for each in range(5)
    )


def read_rows(apps):
    return list(apps.get_model("annotations", "Annotation").objects.order_by("pk").values())


def describe_table():
    with connection.cursor() as cursor:
        cursor.execute(DESCRIBE_TABLE)
        return [row for (row,) in cursor.fetchall()]


@pytest.fixture
def apps_before(own_database):
    return migrate(BEFORE)


def test_rows_and_their_ids_stay_and_the_table_comes_back_as_it_was(apps_before):
    make_annotations(apps_before, 7)
    make_annotations(apps_before, 45_000_000)
    before, described = read_rows(apps_before), describe_table()

    apps = migrate(AFTER)
    assert read_rows(apps) == before
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT tableoid::regclass::text FROM annotations_annotation")
        assert cursor.fetchall() == [("annotations_annotation_first",)]
    # Of an id that is in no partition yet.
    make_annotations(apps, 90_000_000)
    after = read_rows(apps)
    assert after[: len(before)] == before and len(after) == len(before) + 5
    assert after[len(before)]["id"] > before[-1]["id"]

    apps = migrate(BEFORE)
    assert read_rows(apps) == after
    assert describe_table() == described
    make_annotations(apps, 8)
    assert read_rows(apps)[-1]["id"] > after[-1]["id"]


def test_it_goes_on_after_an_interruption(apps_before):
    make_annotations(apps_before, 7)
    with connection.cursor() as cursor:
        cursor.execute(
            "ALTER TABLE annotations_annotation ADD CONSTRAINT annotation_in_first_partition"
            " CHECK (result_id < 9) NOT VALID"
        )
        cursor.execute("CREATE INDEX annotation_of_result ON annotations_annotation (result_id)")
    apps = migrate(AFTER)
    make_annotations(apps, 39_999_999)
    assert len(read_rows(apps)) == 10
