import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("evaluation", "0008_pooling"),
    ]

    operations = [
        migrations.CreateModel(
            name="ChallengeArchive",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("asked", models.DateTimeField(db_default=Now())),
                ("begun", models.PositiveSmallIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("finished", models.DateTimeField(blank=True, null=True)),
                ("failed", models.BooleanField(default=False)),
                ("size", models.PositiveBigIntegerField(default=0, help_text="bytes")),
                ("sha256", models.CharField(blank=True, max_length=64)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "challenge",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="archive", to="evaluation.challenge"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("finished__isnull", True)), fields=["id"], name="archive_to_make")
                ],
            },
        ),
        migrations.CreateModel(
            name="ArchivePiece",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("body", models.BinaryField()),
                (
                    "archive",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pieces",
                        to="evaluation.challengearchive",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("archive", "number"), name="archive_piece_once")],
            },
        ),
        migrations.CreateModel(
            name="Restored",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("checksum", models.CharField(max_length=64)),
                ("at", models.DateTimeField(db_default=Now())),
                (
                    "challenge",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="restored", to="evaluation.challenge"
                    ),
                ),
            ],
        ),
    ]
