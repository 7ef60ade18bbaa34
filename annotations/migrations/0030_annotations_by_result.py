"""Prepare the table of annotations for being in partitions by the id of their result.

Nobody waits: the index is built while the table is in use, and the check that the next migration needs is made without
a lock. If the migration is interrupted, run it again.
"""

from django.db import migrations, transaction

PARTITION_RESULTS = 20_000_000
ADD_CHECK = """
    ALTER TABLE annotations_annotation DROP CONSTRAINT IF EXISTS annotation_in_first_partition;
    ALTER TABLE annotations_annotation ADD CONSTRAINT annotation_in_first_partition
        CHECK (result_id IS NOT NULL AND result_id < {end}) NOT VALID
"""
BUILD_INDEX = "CREATE UNIQUE INDEX CONCURRENTLY annotation_of_result ON annotations_annotation (result_id, id)"
VALIDATE_CHECK = "ALTER TABLE annotations_annotation VALIDATE CONSTRAINT annotation_in_first_partition"


def prepare_partitions(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(id), 0) FROM annotations_result")
        # The end of the first partition, which has room for the results of the time until there is a second one.
        end = (cursor.fetchone()[0] // PARTITION_RESULTS + 2) * PARTITION_RESULTS
        with transaction.atomic():
            cursor.execute("SET LOCAL lock_timeout = '500ms'")
            cursor.execute(ADD_CHECK.format(end=end))
        cursor.execute("DROP INDEX CONCURRENTLY IF EXISTS annotation_of_result")
        cursor.execute(BUILD_INDEX)
        cursor.execute(VALIDATE_CHECK)


def undo_preparations(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("ALTER TABLE annotations_annotation DROP CONSTRAINT IF EXISTS annotation_in_first_partition")
        cursor.execute("DROP INDEX IF EXISTS annotation_of_result")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("annotations", "0029_suggestions_of_reviewers")]

    operations = [migrations.RunPython(prepare_partitions, undo_preparations)]
