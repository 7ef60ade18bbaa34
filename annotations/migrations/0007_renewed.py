from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0006_entry_absent")]

    operations = [migrations.AddField("producer", "renewed", models.PositiveBigIntegerField(default=0, db_default=0))]
