import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0019_organizer_events")]

    operations = [
        migrations.AlterField(
            "corpusowner",
            "challenge",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="own_corpora",
                to="evaluation.challenge",
            ),
        ),
    ]
