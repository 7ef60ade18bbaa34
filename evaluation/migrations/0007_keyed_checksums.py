"""Replace the plain checksums of sealed gold standards by keyed ones."""

from django.db import migrations, models
from django.utils.crypto import salted_hmac


def make_checksum_field():
    return models.CharField(help_text="SHA-256 of the file; of a sealed one, a keyed checksum", max_length=64)


def key_checksums(apps, schema_editor):
    sealed = apps.get_model("evaluation", "GoldStandard").objects.filter(producer__isnull=True).only("checksum")
    accepted = apps.get_model("evaluation", "Alternatives").objects.filter(gold__in=sealed).only("checksum")
    for rows in (sealed, accepted):
        for row in rows:
            row.checksum = salted_hmac("evaluation.gold.checksum", row.checksum, algorithm="sha256").hexdigest()
            row.save(update_fields=["checksum"])


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0006_blind_articles_become_snapshots")]

    operations = [
        migrations.AlterField("goldstandard", "checksum", make_checksum_field()),
        migrations.AlterField("alternatives", "checksum", make_checksum_field()),
        migrations.RunPython(key_checksums, migrations.RunPython.noop),
    ]
