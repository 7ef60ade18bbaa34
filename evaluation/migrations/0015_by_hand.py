import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from annotations.kinds import LABELS, Kind


class Migration(migrations.Migration):
    """What authors and curators said of articles elsewhere."""

    dependencies = [
        ("annotations", "0009_uncompressed_texts"),
        ("evaluation", "0014_judges_without_account"),
    ]

    operations = [
        migrations.CreateModel(
            name="ByHand",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[(kind.value, LABELS[kind]) for kind in Kind], max_length=14)),
                ("source", models.CharField(max_length=300)),
                ("checksum", models.CharField(help_text="SHA-256 in hex", max_length=64)),
                ("brought", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="by_hand", to="evaluation.challenge"
                    ),
                ),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotations.corpus"
                    ),
                ),
                (
                    "producer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="by_hand", to="annotations.producer"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="byhand",
            constraint=models.UniqueConstraint(fields=("producer", "kind"), name="by_hand_once"),
        ),
    ]
