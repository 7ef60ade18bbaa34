from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("servers", "0019_partitioned_attempts")]

    operations = [
        migrations.AddField(
            model_name="call",
            name="begun_attempts",
            field=models.PositiveSmallIntegerField(db_default=0, default=0, help_text="all attempts"),
        )
    ]
