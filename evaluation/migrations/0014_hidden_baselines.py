from django.db import migrations

# A worker then raises the versions of their articles, so that summaries are computed anew.
HIDE_BASELINES = """
UPDATE annotations_producer AS producer SET public = false, raised_to = 0
WHERE public AND EXISTS (SELECT FROM evaluation_run WHERE producer_id = producer.id AND sort = 'baseline')
"""


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0013_task_settings")]

    operations = [migrations.RunSQL(HIDE_BASELINES, migrations.RunSQL.noop)]
