from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0007_disagreement_by_gene")]

    operations = [
        migrations.AddField(
            model_name="producer", name="server", field=models.BigIntegerField(blank=True, null=True)
        ),
    ]
