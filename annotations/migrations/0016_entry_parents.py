from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

IDENTIFIERS = ArrayField(models.CharField(max_length=64))


class Migration(migrations.Migration):
    # No row is rewritten: terms get their parents when the ontology is loaded or looked up again.
    dependencies = [("annotations", "0015_data_set_match")]

    operations = [
        migrations.AddField(
            model_name="entry",
            name="parents",
            field=ArrayField(
                models.CharField(max_length=64),
                blank=True,
                db_default=models.Value([], output_field=IDENTIFIERS),
                default=list,
            ),
        )
    ]
