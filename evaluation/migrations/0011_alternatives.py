import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0010_accepted_terms")]

    operations = [
        migrations.CreateModel(
            name="Alternatives",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("places", models.BinaryField(help_text="JSON, {article: [[start, end], ...]}")),
                ("checksum", models.CharField(help_text="sha256 of the file that they came from", max_length=64)),
                ("source", models.CharField(max_length=300)),
                (
                    "gold",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alternatives",
                        to="evaluation.goldstandard",
                    ),
                ),
            ],
        ),
    ]
