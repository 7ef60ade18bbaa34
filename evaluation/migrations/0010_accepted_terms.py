from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def accepted_as_they_are(apps, schema_editor):
    """Whoever accepted terms before they were kept accepted those of today, as far as anybody knows."""
    entrants = apps.get_model("evaluation", "Entrant").objects.filter(accepted__isnull=False)
    challenges = apps.get_model("evaluation", "Challenge").objects.filter(pk=OuterRef("challenge"))
    entrants.update(accepted_terms=Subquery(challenges.values("terms")))


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0009_archives")]

    operations = [
        migrations.AddField("entrant", "accepted_terms", models.TextField(blank=True, db_default="")),
        migrations.RunPython(accepted_as_they_are, migrations.RunPython.noop),
    ]
