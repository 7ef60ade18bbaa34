"""Let the disagreement of an article count only servers that look for a type.

The columns have constant defaults, so no row is written. Workers compute the summaries that have the former rules again.
"""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0032_verified_orcids")]

    operations = [
        migrations.AddField(
            "articlesummary", "rules", models.PositiveSmallIntegerField(db_default=1, default=1)
        ),
        migrations.AddField(
            "producer",
            "entity_types",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(),
                blank=True,
                db_default=models.Value(
                    [], output_field=django.contrib.postgres.fields.ArrayField(models.TextField(), size=None)
                ),
                default=list,
                size=None,
            ),
        ),
    ]
