from django.db import migrations, models


class Migration(migrations.Migration):
    # No row is rewritten. Annotations of texts that were replaced before stay where they are, so that no published
    # figure changes.
    dependencies = [("annotations", "0011_open_annotations")]

    operations = [
        migrations.AddField(
            model_name="oldertext",
            name="unmoved",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name="oldertext",
            name="unmoved",
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.AddIndex(
            model_name="oldertext",
            index=models.Index(condition=models.Q(("unmoved", True)), fields=["id"], name="older_text_unmoved"),
        ),
        migrations.AddField(
            model_name="result", name="moved_from", field=models.PositiveIntegerField(blank=True, null=True)
        ),
        migrations.AddField(
            model_name="result", name="not_movable", field=models.PositiveIntegerField(blank=True, null=True)
        ),
    ]
