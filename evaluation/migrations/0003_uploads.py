import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [
        ("servers", "0009_availability"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("evaluation", "0002_organizing"),
    ]

    operations = [
        migrations.AddField(
            model_name="challenge",
            name="file_rules",
            field=models.CharField(
                choices=[
                    ("library", "ranks and confidences as a team likes (the evaluation library)"),
                    ("bc25", "rank and confidence both, ranks without a gap (BioCreative II.5)"),
                    ("bc3", "a confidence for every result (BioCreative III)"),
                ],
                db_default="library",
                default="library",
                max_length=7,
            ),
        ),
        migrations.AddField(model_name="run", name="final", field=models.BooleanField(db_default=False, default=False)),
        migrations.AddField(model_name="run", name="withdrawn", field=models.DateTimeField(blank=True, null=True)),
        migrations.CreateModel(
            name="Upload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("message", models.TextField(blank=True)),
                ("source", models.CharField(help_text="name of the file", max_length=200)),
                ("size", models.PositiveIntegerField(help_text="bytes")),
                ("sha256", models.CharField(max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting to be checked"),
                            ("checking", "being checked"),
                            ("storing", "being stored"),
                            ("taken", "taken in"),
                            ("refused", "Refused"),
                            ("failed", "ended by a fault of ours"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("format", models.CharField(blank=True, max_length=16)),
                ("note", models.TextField(blank=True, help_text="how the file was taken")),
                ("faults", models.JSONField(default=list)),
                ("warnings", models.JSONField(default=list)),
                (
                    "unknown",
                    models.PositiveIntegerField(
                        default=0, help_text="articles of the file that the phase does not have"
                    ),
                ),
                ("unknown_names", models.JSONField(default=list, help_text="the first of them")),
                ("received", models.DateTimeField(db_default=Now())),
                ("finished", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="uploads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uploads", to="evaluation.phase"
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="upload",
                        to="evaluation.run",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uploads", to="evaluation.task"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="uploads", to="servers.team"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["waiting", "checking", "storing"])),
                        fields=["id"],
                        name="upload_open",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="UploadedFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("body", models.BinaryField()),
                (
                    "upload",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="file", to="evaluation.upload"
                    ),
                ),
            ],
        ),
    ]
