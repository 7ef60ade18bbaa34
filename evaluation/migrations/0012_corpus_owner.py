import django.db.models.deletion
from django.db import migrations, models


def first_to_use(apps, schema_editor):
    """A blind corpus is of the challenge that uses it; of one that none uses nobody knows."""
    owners = apps.get_model("evaluation", "CorpusOwner").objects
    phases = apps.get_model("evaluation", "Phase").objects.filter(corpus__blind=True).order_by("pk")
    for corpus, challenge in phases.values_list("corpus", "challenge"):
        owners.get_or_create(corpus_id=corpus, defaults={"challenge_id": challenge})


class Migration(migrations.Migration):
    dependencies = [("annotations", "0001_initial"), ("evaluation", "0011_alternatives")]

    operations = [
        migrations.CreateModel(
            name="CorpusOwner",
            fields=[
                (
                    "corpus",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="owner",
                        serialize=False,
                        to="annotations.corpus",
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blind_corpora",
                        to="evaluation.challenge",
                    ),
                ),
            ],
        ),
        migrations.RunPython(first_to_use, migrations.RunPython.noop),
    ]
