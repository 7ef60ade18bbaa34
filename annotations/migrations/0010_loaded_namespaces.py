from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0009_producer_published")]

    operations = [
        migrations.CreateModel(
            name="LoadedNamespace",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("database", models.CharField(max_length=32, unique=True)),
                ("title", models.CharField(help_text="kind of the last table", max_length=64)),
                ("source", models.CharField(help_text="name of the last file", max_length=255)),
                ("entries", models.PositiveIntegerField(help_text="entries in the last table")),
                ("loaded", models.DateTimeField()),
                ("completed", models.DateTimeField(blank=True, null=True)),
                ("complete_start", models.CharField(blank=True, max_length=8)),
            ],
        ),
    ]
