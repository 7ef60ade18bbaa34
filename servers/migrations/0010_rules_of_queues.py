from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("servers", "0009_availability")]

    operations = [
        migrations.AddField(
            "queue", "minutes", models.PositiveSmallIntegerField(blank=True, help_text="per article", null=True)
        ),
        migrations.AddField("queue", "tries", models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddField("queue", "held", models.BooleanField(db_default=False, default=False)),
    ]
