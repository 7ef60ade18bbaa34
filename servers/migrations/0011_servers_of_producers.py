from django.db import migrations

NAME_SERVERS = """
UPDATE annotations_producer AS producer SET server = queue.server_id
FROM servers_queue AS queue WHERE queue.producer_id = producer.id
"""
# The worker computes these summaries again, as versions of articles begin at 1.
MARK_SUMMARIES_OUTDATED = "UPDATE annotations_articlesummary SET version = 0 WHERE servers > 1"


class Migration(migrations.Migration):
    dependencies = [("servers", "0010_missed_articles"), ("annotations", "0008_producer_server")]

    operations = [
        migrations.RunSQL(NAME_SERVERS, migrations.RunSQL.noop),
        migrations.RunSQL(MARK_SUMMARIES_OUTDATED, migrations.RunSQL.noop),
    ]
