from django.db import migrations, models

# A challenge that has published anything counts as accepted.
ACCEPT_PUBLISHED_CHALLENGES = """
UPDATE evaluation_challenge SET review = 'accepted' WHERE id IN (
    SELECT challenge_id FROM evaluation_phase WHERE published IS NOT NULL
    UNION
    SELECT phase.challenge_id FROM evaluation_goldstandard AS gold
    JOIN evaluation_phase AS phase ON phase.id = gold.phase_id WHERE gold.published IS NOT NULL)
"""
MARK_PUBLISHED_PRODUCERS = """
UPDATE annotations_producer AS producer SET published = true
WHERE public AND (
    EXISTS (SELECT 1 FROM evaluation_run WHERE producer_id = producer.id)
    OR EXISTS (SELECT 1 FROM evaluation_goldstandard WHERE producer_id = producer.id))
"""
# A worker then raises the versions of their articles, so that summaries are computed anew.
HIDE_PRODUCERS_OF_SERVERS_THAT_ARE_NOT_ACCEPTED = """
UPDATE annotations_producer AS producer SET public = false, raised_to = 0
FROM servers_queue AS queue JOIN servers_server AS server ON server.id = queue.server_id
WHERE queue.producer_id = producer.id AND producer.published AND server.review <> 'accepted'
"""


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0011_phase_event_resent"),
        ("annotations", "0009_producer_published"),
        ("servers", "0011_servers_of_producers"),
    ]

    operations = [
        migrations.AddField(
            model_name="challenge",
            name="review",
            field=models.CharField(
                choices=[("unreviewed", "unreviewed"), ("accepted", "accepted"), ("declined", "declined")],
                db_default="unreviewed",
                default="unreviewed",
                max_length=10,
            ),
        ),
        migrations.RunSQL(ACCEPT_PUBLISHED_CHALLENGES, migrations.RunSQL.noop),
        migrations.RunSQL(MARK_PUBLISHED_PRODUCERS, migrations.RunSQL.noop),
        migrations.RunSQL(HIDE_PRODUCERS_OF_SERVERS_THAT_ARE_NOT_ACCEPTED, migrations.RunSQL.noop),
    ]
