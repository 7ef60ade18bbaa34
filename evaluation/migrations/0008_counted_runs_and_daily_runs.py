from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0007_keyed_checksums")]

    operations = [
        migrations.AddField(
            model_name="phase",
            name="counted_runs",
            field=models.CharField(
                choices=[
                    ("all", "all runs"),
                    ("best", "the best run of each team"),
                    ("last", "the last run of each team"),
                    ("final", "runs that their teams tagged as final"),
                ],
                db_default="all",
                default="all",
                max_length=5,
            ),
        ),
        migrations.AddField(
            model_name="phase", name="daily_runs", field=models.PositiveSmallIntegerField(blank=True, null=True)
        ),
    ]
