from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bcms", "0005_mail_headers")]

    operations = [migrations.AddField("apitoken", "expires", models.DateTimeField(blank=True, null=True))]
