from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0008_producer_server")]

    operations = [
        migrations.AddField(
            model_name="producer", name="published", field=models.BooleanField(db_default=False, default=False)
        ),
    ]
