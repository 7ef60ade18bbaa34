from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0014_data_sets")]

    operations = [
        migrations.AddField(
            model_name="dataset",
            name="match",
            field=models.CharField(db_default="position", default="position", max_length=12),
        )
    ]
