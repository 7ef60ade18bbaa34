"""Which events of phases and approvals of teams are mailed."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0017_talk_about_challenges'),
    ]

    operations = [
        migrations.AddField(
            model_name='entrant',
            name='approval_mailed',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='phaseevent',
            name='to_mail',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
