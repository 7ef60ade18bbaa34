from django.db import migrations, models

import evaluation.caps


def one_for_each_kind(apps, schema_editor):
    """The cap of a phase was one for every kind."""
    for phase in apps.get_model("evaluation", "Phase").objects.filter(upload_cap__isnull=False):
        kinds = phase.challenge.tasks.exclude(kind="classification").values_list("kind", flat=True)
        phase.upload_caps = dict.fromkeys(sorted(set(kinds)), max(phase.upload_cap, 1))
        phase.save(update_fields=["upload_caps"])


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0015_by_hand")]

    operations = [
        migrations.AddField(
            "phase",
            "upload_caps",
            models.JSONField(
                blank=True,
                default=dict,
                help_text="{kind: the most results of an article in an uploaded run}",
                validators=[evaluation.caps.check_caps],
            ),
        ),
        migrations.RunPython(one_for_each_kind, migrations.RunPython.noop),
        migrations.RemoveField("phase", "upload_cap"),
    ]
