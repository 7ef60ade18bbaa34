from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    # Safe: calls are answered while the index is built.
    atomic = False
    dependencies = [("annotations", "0023_annotated_term_by_articles")]

    operations = [
        AddIndexConcurrently(
            model_name="result",
            index=models.Index(
                fields=["superseded"],
                name="superseded_with_reply",
                condition=Q(superseded__isnull=False, reply__isnull=False),
            ),
        ),
    ]
