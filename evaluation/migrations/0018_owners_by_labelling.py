from django.db import migrations


def first_to_label(apps, schema_editor):
    """A blind corpus that no phase uses is of the challenge that has it labelled; one that none does staff may take."""
    owners = apps.get_model("evaluation", "CorpusOwner").objects
    labellings = apps.get_model("evaluation", "Labelling").objects.filter(corpus__blind=True).order_by("pk")
    for corpus, challenge in labellings.values_list("corpus", "challenge"):
        owners.get_or_create(corpus_id=corpus, defaults={"challenge_id": challenge})


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0017_tests_of_readers")]

    operations = [migrations.RunPython(first_to_label, migrations.RunPython.noop)]
