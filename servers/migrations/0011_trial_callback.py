from django.db import migrations, models

import servers.models


class Migration(migrations.Migration):
    dependencies = [("servers", "0010_rules_of_queues")]

    operations = [
        migrations.AddField(
            "trial", "reference", models.PositiveIntegerField(db_index=True, default=servers.models.new_reference)
        ),
        migrations.AddField("trial", "callback_form", models.CharField(blank=True, max_length=8)),
        migrations.AddField(
            "trial",
            "callback",
            models.BinaryField(default=b"", help_text="whole until it is judged, then the first 64 KiB"),
        ),
    ]
