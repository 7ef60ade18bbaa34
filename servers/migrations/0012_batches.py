import django.db.models.deletion
from django.db import migrations, models

# A server has at most one call in flight before this migration.
INSERT_BATCHES = """
INSERT INTO servers_batch (server_id) SELECT server_id FROM servers_call WHERE state IN ('asking', 'pending');
UPDATE servers_call SET batch_id = servers_batch.id FROM servers_batch
WHERE servers_batch.server_id = servers_call.server_id AND servers_call.state IN ('asking', 'pending');
"""
# Foreign keys are checked at the end of a transaction, and a table with checks to come cannot be altered.
CHECK_FOREIGN_KEYS_NOW = "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED"
IN_FLIGHT = {"state__in": ["asking", "pending"]}


class Migration(migrations.Migration):
    dependencies = [("servers", "0011_servers_of_producers")]

    operations = [
        migrations.CreateModel(
            name="Batch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "server",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="batches",
                        to="servers.server",
                    ),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=["server"], name="one_batch_in_flight")]},
        ),
        migrations.AddField(
            model_name="call",
            name="batch",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="calls",
                to="servers.batch",
            ),
        ),
        migrations.RunSQL(INSERT_BATCHES, migrations.RunSQL.noop),
        migrations.RunSQL(CHECK_FOREIGN_KEYS_NOW, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(condition=models.Q(batch__isnull=False), fields=["batch"], name="calls_of_batch"),
        ),
        migrations.AddConstraint(
            model_name="call",
            constraint=models.CheckConstraint(
                condition=models.Q(**IN_FLIGHT, batch__isnull=False)
                | ~models.Q(**IN_FLIGHT) & models.Q(batch__isnull=True),
                name="call_in_flight_has_batch",
            ),
        ),
        migrations.RemoveConstraint(model_name="call", name="one_call_in_flight"),
    ]
