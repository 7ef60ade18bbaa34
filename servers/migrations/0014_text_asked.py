from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("servers", "0013_stated_version")]

    operations = [
        migrations.AddField("attempt", "text_version", models.PositiveIntegerField(db_default=1, default=1)),
        # What servers work on just now was sent as the articles are.
        migrations.RunSQL(
            """
            UPDATE servers_attempt SET text_version = article.text_version
            FROM servers_call call JOIN annotations_article article ON article.id = call.article_id
            WHERE call.id = servers_attempt.call_id AND call.state = 'pending'
            """,
            migrations.RunSQL.noop,
        ),
    ]
