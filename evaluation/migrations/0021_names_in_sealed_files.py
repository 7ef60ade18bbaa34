from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0020_mailed_phase_events")]

    operations = [
        migrations.AddField(
            model_name="goldstandard", name="opaque_by_document", field=models.JSONField(blank=True, null=True)
        ),
    ]
