from django.db import migrations, models
from django.db.models import Q


def rank_large_boards_anew(apps, schema_editor):
    """They have tests by which a team could tell how many runs of others there are."""
    large = Q(samples__gt=10_000) | Q(untested__startswith="More than")
    apps.get_model("evaluation", "Ranking").objects.filter(large).update(version="")


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0016_caps_by_kind")]

    operations = [
        migrations.AddField(
            "ranking",
            "readers",
            models.JSONField(default=list, help_text="evaluation/rankings.py, OfReader"),
        ),
        migrations.RunPython(rank_large_boards_anew, migrations.RunPython.noop),
    ]
