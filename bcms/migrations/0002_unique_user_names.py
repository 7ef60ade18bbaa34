"""A unique index on normalized user names, from the first account on whose name is like no older one.

Accounts that were alike before keep their names; `manage.py check_user_names` lists them.
"""

from django.db import migrations

INDEX = "auth_user_normalized_username"
# The last account whose name an older account has, too.
LAST_ALIKE = """
    SELECT coalesce(max(newer.id), 0) FROM auth_user newer JOIN auth_user older
    ON older.id < newer.id AND lower(normalize(older.username, NFKC)) = lower(normalize(newer.username, NFKC))
"""


def create_index(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(LAST_ALIKE)
        (last,) = cursor.fetchone()
        cursor.execute(
            f"CREATE UNIQUE INDEX {INDEX} ON auth_user (lower(normalize(username, NFKC))) WHERE id > {int(last)}"
        )


def drop_index(apps, schema_editor):
    schema_editor.execute(f"DROP INDEX {INDEX}")


class Migration(migrations.Migration):
    dependencies = [
        ("bcms", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [migrations.RunPython(create_index, drop_index)]
