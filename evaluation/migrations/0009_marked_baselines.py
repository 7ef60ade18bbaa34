from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0008_counted_runs_and_daily_runs")]

    operations = [
        migrations.AddField(
            model_name="run", name="baseline", field=models.BooleanField(db_default=False, default=False)
        ),
    ]
