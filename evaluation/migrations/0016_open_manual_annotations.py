"""Manual annotations can be of the kinds of tasks of any types."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0015_longer_run_formats'),
    ]

    operations = [
        migrations.AlterField(
            model_name='manualannotationset',
            name='kind',
            field=models.CharField(choices=[('mention', 'Mentions'), ('normalization', 'Genes and proteins'), ('taxon', 'Organisms'), ('classification', 'Interaction article'), ('pair', 'Interaction pairs'), ('method', 'Methods'), ('passage', 'Evidence passages'), ('entity', 'Entities'), ('relation', 'Relations'), ('label', 'Labels')], max_length=14),
        ),
    ]
