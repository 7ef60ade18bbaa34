from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bcms", "0003_upload")]

    operations = [
        # Tokens that were made before there were scopes keep what they open.
        migrations.AddField(
            model_name="apitoken",
            name="scopes",
            field=ArrayField(models.CharField(max_length=8), default=["read", "servers", "runs", "organize"]),
            preserve_default=False,
        ),
    ]
