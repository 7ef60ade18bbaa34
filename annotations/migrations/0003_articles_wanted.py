from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("annotations", "0002_registry")]

    operations = [
        migrations.CreateModel(
            name="ArticleRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ident", models.CharField(max_length=255)),
                ("asked", models.DateTimeField(db_default=Now())),
                ("finished", models.DateTimeField(blank=True, null=True)),
                ("pmid", models.BigIntegerField(blank=True, null=True)),
                ("problem", models.CharField(blank=True, max_length=500)),
            ],
        ),
        migrations.CreateModel(
            name="ImportedFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=255, unique=True)),
                ("checksum", models.CharField(help_text="SHA-256 of the file as it is, in hex", max_length=64)),
                (
                    "records",
                    models.PositiveBigIntegerField(
                        default=0, help_text="so many records from its beginning are stored"
                    ),
                ),
                ("began", models.DateTimeField(db_default=Now())),
                ("finished", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Pace",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=32, unique=True)),
                ("free", models.DateTimeField()),
            ],
        ),
        migrations.AddConstraint(
            model_name="articlerequest",
            constraint=models.UniqueConstraint(
                condition=models.Q(("finished__isnull", True)), fields=("ident",), name="one_open_request"
            ),
        ),
    ]
