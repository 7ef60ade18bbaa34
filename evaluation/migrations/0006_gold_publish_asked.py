from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0005_upload_begun")]

    operations = [
        migrations.AddField("goldstandard", "publish_asked", models.DateTimeField(blank=True, null=True)),
    ]
