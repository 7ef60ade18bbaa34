"""Pictures for the descriptions of challenges."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0022_draft_archives'),
    ]

    operations = [
        migrations.CreateModel(
            name='ChallengePicture',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('file_name', models.CharField(help_text='of the uploaded file', max_length=100)),
                ('alternative_text', models.CharField(blank=True, db_default='', help_text='what the picture shows, for the Markdown to copy', max_length=500)),
                ('width', models.PositiveIntegerField(help_text='pixels')),
                ('height', models.PositiveIntegerField(help_text='pixels')),
                ('size', models.PositiveIntegerField(help_text='bytes')),
                ('content', models.BinaryField()),
                ('uploaded', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pictures', to='evaluation.challenge')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('challenge', 'name'), name='challenge_picture_once')],
            },
        ),
    ]
