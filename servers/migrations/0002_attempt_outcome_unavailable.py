"""Add the outcome of attempts that met an outage."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("servers", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="attempt",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("under way", "under way"),
                    ("answered", "answered"),
                    ("empty", "empty"),
                    ("invalid", "invalid"),
                    ("connection", "connection"),
                    ("communication", "communication"),
                    ("unavailable", "unavailable"),
                    ("no answer in time", "no answer in time"),
                    ("halted", "halted"),
                    ("lost", "lost"),
                    ("our fault", "our fault"),
                ],
                default="under way",
                max_length=20,
            ),
        )
    ]
