"""When an event of a phase was mailed, for the limit of a day."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0019_describe_runs'),
    ]

    operations = [
        migrations.AddField(
            model_name='phaseevent',
            name='mailed',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
