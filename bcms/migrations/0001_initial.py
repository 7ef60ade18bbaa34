import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "scopes",
                    django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=8), size=None),
                ),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("used", models.DateTimeField(blank=True, null=True)),
                ("expires", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ArticleUpload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
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
        ),
        migrations.CreateModel(
            name="Mail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sender", models.CharField(max_length=320)),
                ("recipient", models.CharField(max_length=320)),
                ("subject", models.CharField(max_length=998)),
                ("body", models.TextField()),
                ("headers", models.JSONField(blank=True, default=dict)),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("due", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("error", models.TextField(blank=True)),
                ("failed", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("failed__isnull", True)), fields=["due"], name="mail_by_due")
                ],
            },
        ),
        migrations.CreateModel(
            name="UploadedArticleFile",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="files", to="bcms.articleupload"
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="articleupload",
            index=models.Index(
                condition=models.Q(("finished__isnull", True)), fields=["id"], name="article_upload_open"
            ),
        ),
    ]
