from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0004_rankings")]

    operations = [
        migrations.AddField(
            model_name="upload",
            name="begun",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
    ]
