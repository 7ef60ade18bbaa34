import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL), ("bcms", "0002_api_token")]

    operations = [
        migrations.CreateModel(
            name="Upload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created", models.DateTimeField(db_default=Now())),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("finished", models.DateTimeField(blank=True, null=True)),
                ("stored", models.BooleanField(default=False)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="article_uploads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("finished__isnull", True)), fields=["id"], name="article_upload_open")
                ],
            },
        ),
        migrations.CreateModel(
            name="UploadedFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=250)),
                ("format", models.CharField(blank=True, max_length=16)),
                ("ident", models.CharField(blank=True, max_length=250)),
                ("size", models.PositiveIntegerField(help_text="bytes as it was sent")),
                ("content", models.BinaryField(blank=True, null=True)),
                ("read", models.DateTimeField(blank=True, null=True)),
                ("report", models.JSONField(blank=True, default=dict)),
                (
                    "upload",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="files", to="bcms.upload"
                    ),
                ),
            ],
        ),
    ]
