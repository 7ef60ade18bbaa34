from django.db import migrations

# The worker computes these summaries again, as versions of articles begin at 1.
MARK_SUMMARIES_OUTDATED = "UPDATE annotations_articlesummary SET version = 0 WHERE disagreement IS NOT NULL"


class Migration(migrations.Migration):
    dependencies = [("annotations", "0006_blind_articles_are_snapshots")]

    operations = [migrations.RunSQL(MARK_SUMMARIES_OUTDATED, migrations.RunSQL.noop)]
