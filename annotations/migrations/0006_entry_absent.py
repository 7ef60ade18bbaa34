from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0005_finding"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                fields=["database", "identifier"], name="entry_absent", condition=Q(exists=False, reported=True)
            ),
        ),
    ]
