from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("servers", "0012_round_trips")]

    operations = [
        migrations.AddField(
            "server", "stated_version", models.CharField(blank=True, db_default="", default="", max_length=100)
        ),
    ]
