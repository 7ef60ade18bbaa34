"""Note which ORCID iDs their owners have logged in with. The column has a default, so no row is written."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0031_partitioned_annotations")]

    operations = [
        migrations.AddField("curatorprofile", "orcid_verified", models.BooleanField(db_default=False, default=False)),
    ]
