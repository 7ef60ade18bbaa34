from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("servers", "0023_webhook_format")]

    operations = [
        migrations.AddField(
            model_name="membership", name="report_due", field=models.DateTimeField(blank=True, null=True)
        ),
    ]
