"""Announcements and discussions of challenges, who gets mail about them, and whom to ask and how to cite."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0016_open_manual_annotations'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='challenge',
            name='citation',
            field=models.TextField(blank=True, db_default='', help_text='how to cite the challenge', max_length=2000),
        ),
        migrations.AddField(
            model_name='challenge',
            name='contact',
            field=models.CharField(blank=True, db_default='', help_text='an e-mail address or a URL', max_length=254),
        ),
        migrations.AddField(
            model_name='challenge',
            name='data_licence',
            field=models.CharField(blank=True, db_default='', max_length=200),
        ),
        migrations.AddField(
            model_name='challenge',
            name='doi',
            field=models.CharField(blank=True, db_default='', help_text='DOI of the paper or data set to cite', max_length=200),
        ),
        migrations.AddField(
            model_name='challenge',
            name='organizer_names',
            field=models.CharField(blank=True, db_default='', max_length=500),
        ),
        migrations.AddField(
            model_name='entrant',
            name='listed',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.CreateModel(
            name='DiscussionThread',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=200)),
                ('created', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('last_post', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('locked', models.BooleanField(default=False)),
                ('pinned', models.BooleanField(default=False)),
                ('begun_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='threads', to='evaluation.challenge')),
            ],
        ),
        migrations.CreateModel(
            name='DiscussionPost',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(max_length=20000)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('removed', models.DateTimeField(blank=True, null=True)),
                ('hidden', models.DateTimeField(blank=True, null=True)),
                ('hidden_reason', models.CharField(blank=True, max_length=500)),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('hidden_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('thread', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='posts', to='evaluation.discussionthread')),
            ],
        ),
        migrations.CreateModel(
            name='Announcement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=200)),
                ('text', models.TextField(max_length=20000)),
                ('audience', models.CharField(choices=[('followers', 'all teams and everybody who follows the challenge'), ('teams', 'all teams that take part or asked to'), ('without-run', 'teams that have no run yet'), ('with-run', 'teams that have a run'), ('unapproved', 'teams that wait for approval')], default='followers', max_length=11)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('mailed', models.DateTimeField(blank=True, null=True)),
                ('mails', models.PositiveIntegerField(default=0)),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='announcements', to='evaluation.challenge')),
            ],
            options={
                'indexes': [models.Index(fields=['challenge', '-at'], name='announcements_of_challenge'), models.Index(condition=models.Q(('mailed__isnull', True)), fields=['at'], name='announcements_to_mail')],
            },
        ),
        migrations.CreateModel(
            name='ChallengeFollower',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('announcements', models.BooleanField(help_text='a mail for every announcement')),
                ('discussion', models.BooleanField(default=False, help_text='one mail a day about new posts')),
                ('digested', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='followers', to='evaluation.challenge')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('discussion', True)), fields=['digested'], name='followers_by_digest')],
                'constraints': [models.UniqueConstraint(fields=('challenge', 'user'), name='follower_once')],
            },
        ),
        migrations.AddIndex(
            model_name='discussionthread',
            index=models.Index(fields=['challenge', '-pinned', '-last_post'], name='threads_of_challenge'),
        ),
        migrations.AddIndex(
            model_name='discussionpost',
            index=models.Index(fields=['thread', 'at'], name='posts_of_thread'),
        ),
        migrations.AddIndex(
            model_name='discussionpost',
            index=models.Index(fields=['author', '-at'], name='posts_of_author'),
        ),
    ]
