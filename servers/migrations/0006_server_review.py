import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import servers.registry.models
import servers.review.states
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('servers', '0005_notice_attempt'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='server',
            options={'permissions': [('review_server', 'Can accept and decline servers')]},
        ),
        # Servers that are registered already are accepted; a new one waits for a review.
        migrations.AddField(model_name="server", name="review", field=models.CharField(choices=[('unreviewed', 'unreviewed'), ('accepted', 'accepted'), ('declined', 'declined'), ('private', 'private')], default=servers.review.states.ReviewState['ACCEPTED'], max_length=10)),
        migrations.AlterField(model_name="server", name="review", field=models.CharField(choices=[('unreviewed', 'unreviewed'), ('accepted', 'accepted'), ('declined', 'declined'), ('private', 'private')], default=servers.review.states.ReviewState['UNREVIEWED'], max_length=10)),
        migrations.AlterField(
            model_name='delivery',
            name='happening',
            field=models.CharField(choices=[('server-failed', 'server-failed'), ('queue-stopped', 'queue-stopped'), ('server-unreached', 'server-unreached'), ('article-failed', 'article-failed'), ('queue-done', 'queue-done'), ('server-reviewed', 'server-reviewed'), ('test', 'test')], max_length=16),
        ),
        migrations.AlterField(
            model_name='notice',
            name='happening',
            field=models.CharField(choices=[('server-failed', 'server-failed'), ('queue-stopped', 'queue-stopped'), ('server-unreached', 'server-unreached'), ('article-failed', 'article-failed'), ('queue-done', 'queue-done'), ('server-reviewed', 'server-reviewed'), ('test', 'test')], max_length=16),
        ),
        migrations.AlterField(
            model_name='server',
            name='mail_topics',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('failure', 'failure'), ('completed', 'completed'), ('fail', 'fail'), ('review', 'review')], max_length=9), blank=True, default=servers.registry.models.list_topic_values, size=None),
        ),
        migrations.AlterField(
            model_name='webhook',
            name='topics',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('failure', 'failure'), ('completed', 'completed'), ('fail', 'fail'), ('review', 'review')], max_length=9), size=None),
        ),
        migrations.CreateModel(
            name='ReviewDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('before', models.CharField(choices=[('unreviewed', 'unreviewed'), ('accepted', 'accepted'), ('declined', 'declined'), ('private', 'private')], max_length=10)),
                ('after', models.CharField(choices=[('unreviewed', 'unreviewed'), ('accepted', 'accepted'), ('declined', 'declined'), ('private', 'private')], max_length=10)),
                ('note', models.CharField(blank=True, max_length=1000)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('server', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='review_decisions', to='servers.server')),
            ],
            options={
                'indexes': [models.Index(fields=['server', '-id'], name='decisions_of_server')],
            },
        ),
        # Teams get mail about reviews unless they unsubscribe from it.
        migrations.RunSQL(
            "UPDATE servers_server SET mail_topics = array_append(mail_topics, 'review') WHERE mail_topics <> '{}'",
            "UPDATE servers_server SET mail_topics = array_remove(mail_topics, 'review')",
        ),
    ]
