"""Copy the types that servers are registered for to their producers."""

from django.db import migrations

COPY_TYPES = """
    UPDATE annotations_producer AS producer SET entity_types = server.entity_types::text[]
    FROM servers_server AS server WHERE producer.server = server.id AND server.entity_types <> '{}'
"""


class Migration(migrations.Migration):
    dependencies = [("servers", "0026_webhook_owners"), ("annotations", "0033_disagreement_by_type")]

    operations = [migrations.RunSQL(COPY_TYPES, migrations.RunSQL.noop)]
