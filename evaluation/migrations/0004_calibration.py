import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

WAYS = [("isotonic", "isotonic regression"), ("platt", "Platt's sigmoid"), ("none", "None")]
CUTS = [("confidence", "Confidence"), ("rank", "Rank")]


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0003_uploads")]

    operations = [
        migrations.CreateModel(
            "Calibration",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("checksum", models.CharField(help_text="of the gold standard then", max_length=64)),
                ("way", models.CharField(choices=WAYS, max_length=8)),
                ("why_none", models.CharField(blank=True, max_length=300)),
                (
                    "knots",
                    models.JSONField(
                        default=list, help_text="[[confidence, share that is right], ...], straight lines between"
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(
                        help_text="answers with a confidence, in articles of the gold standard"
                    ),
                ),
                ("right", models.PositiveIntegerField(help_text="of these")),
                ("brier", models.FloatField(blank=True, null=True)),
                ("log_loss", models.FloatField(blank=True, null=True)),
                ("brier_fitted", models.FloatField(blank=True, null=True)),
                ("log_loss_fitted", models.FloatField(blank=True, null=True)),
                ("tenths", models.JSONField(default=list)),
                ("tenths_fitted", models.JSONField(default=list)),
                ("cut_by", models.CharField(blank=True, choices=CUTS, max_length=10)),
                ("cut_value", models.FloatField(blank=True, null=True)),
                ("cut_fap", models.FloatField(blank=True, null=True)),
                ("seen", models.CharField(max_length=150)),
                ("fitted", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "gold",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="calibrations",
                        to="evaluation.goldstandard",
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="calibration", to="evaluation.run"
                    ),
                ),
            ],
        ),
    ]
