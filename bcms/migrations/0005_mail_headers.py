from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bcms", "0004_token_scopes")]

    operations = [migrations.AddField("mail", "headers", models.JSONField(blank=True, default=dict))]
