"""Let answers insert changes of articles, instead of raising the version in the article's row.

The column keeps its name. Creating an empty table without a constraint locks no other.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0033_disagreement_by_type")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("article", "version", "counted_version"),
                migrations.AlterField(
                    "article",
                    "counted_version",
                    models.PositiveBigIntegerField(db_column="version", db_default=1, default=1),
                ),
            ]
        ),
        migrations.CreateModel(
            "ArticleChange",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "article",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="annotations.article",
                    ),
                ),
            ],
        ),
    ]
