from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("servers", "0024_pasted_texts")]

    operations = [
        migrations.AddField(
            model_name="membership", name="report_due", field=models.DateTimeField(blank=True, null=True)
        ),
    ]
