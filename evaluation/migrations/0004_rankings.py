import django.db.models.deletion
from django.db import migrations, models

ADDED = [
    ("scenario", models.CharField(db_default="all", default="all", max_length=32)),
    ("absent", models.CharField(blank=True, db_default="", max_length=300)),
    ("intervals", models.JSONField(default=dict, help_text="{measure name: [low, high]}, of 95 %")),
    ("confidence", models.FloatField(blank=True, help_text="mean of what it reports of these articles", null=True)),
    ("seconds_mean", models.FloatField(blank=True, null=True)),
    ("seconds_median", models.FloatField(blank=True, null=True)),
    ("seconds_slowest", models.FloatField(blank=True, null=True)),
    ("table", models.BinaryField(default=bytes)),
    ("samples", models.PositiveIntegerField(db_default=0, default=0, help_text="drawn for the intervals")),
    ("seed", models.PositiveIntegerField(db_default=0, default=0)),
    (
        "checksum",
        models.CharField(blank=True, db_default="", help_text="of the gold standard then", max_length=64),
    ),
    ("version", models.CharField(blank=True, db_default="", help_text="of the software", max_length=32)),
    ("took", models.FloatField(db_default=0, default=0, help_text="seconds, for all scenarios of the run")),
    ("superseded", models.DateTimeField(blank=True, null=True)),
]


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0004_calibration")]

    operations = [
        migrations.AlterField(
            "score",
            "run",
            models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="scores", to="evaluation.run"),
        ),
        migrations.AlterField("score", "signature", models.CharField(max_length=700)),
        migrations.AlterField("score", "seen", models.CharField(max_length=150)),
        *(migrations.AddField("score", name, field) for name, field in ADDED),
        migrations.AddConstraint(
            "score",
            models.UniqueConstraint(
                condition=models.Q(superseded__isnull=True), fields=("run", "scenario"), name="one_current_score"
            ),
        ),
        migrations.CreateModel(
            "Ranking",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("scenario", models.CharField(max_length=32)),
                ("measure", models.CharField(max_length=32)),
                ("scores", models.JSONField(default=list, help_text="the scores that were compared, by id")),
                ("counts", models.JSONField(default=list)),
                (
                    "untested",
                    models.CharField(blank=True, help_text="why there is no test", max_length=300),
                ),
                ("samples", models.PositiveIntegerField(default=0)),
                ("seed", models.PositiveIntegerField(default=0)),
                (
                    "ensemble",
                    models.JSONField(blank=True, help_text="evaluation/joining.py, Joined", null=True),
                ),
                ("version", models.CharField(blank=True, help_text="of the software", max_length=32)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("computed", models.DateTimeField(blank=True, null=True)),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rankings", to="evaluation.phase"
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rankings", to="evaluation.task"
                    ),
                ),
            ],
            {
                "constraints": [
                    models.UniqueConstraint(
                        fields=("task", "phase", "scenario", "measure"), name="one_ranking_of_a_board"
                    )
                ]
            },
        ),
    ]
