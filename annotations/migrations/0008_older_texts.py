import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0007_renewed")]

    operations = [
        migrations.CreateModel(
            name="OlderText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text_version", models.PositiveIntegerField()),
                ("passages", models.JSONField()),
                (
                    "article",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="older_texts",
                        to="annotations.article",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("article", "text_version"), name="older_text_once")],
            },
        ),
        migrations.AddField(
            "result", "stated_version", models.CharField(blank=True, db_default="", default="", max_length=100)
        ),
    ]
