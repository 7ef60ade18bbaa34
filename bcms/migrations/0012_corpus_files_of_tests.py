"""Let a corpus file be for a test or several phases, of which plans have a list."""

from django.db import migrations, models

# What was planned before was one phase, whose fields were those of the plan itself.
LIST_PHASES = """
UPDATE bcms_corpusfile SET {column} = jsonb_build_object(
    'phases', jsonb_build_array(({column} - 'tasks') || '{{"share": 100}}'), 'tasks', {column} -> 'tasks', 'seed', NULL
) WHERE {column} ? 'sort'
"""
UNLIST_PHASES = """
UPDATE bcms_corpusfile SET {column} = (({column} -> 'phases' -> 0) - 'share') || jsonb_build_object(
    'tasks', {column} -> 'tasks'
) WHERE {column} ? 'phases'
"""


class Migration(migrations.Migration):
    dependencies = [("bcms", "0011_mailed_phase_events_unseen")]

    operations = [
        migrations.AddField(
            model_name="corpusfile",
            name="purpose",
            field=models.CharField(
                choices=[
                    ("open", "Training or development"),
                    ("test", "A test, which stays secret until you publish it"),
                    ("split", "Several phases: the site splits the articles by a seed"),
                ],
                db_default="open",
                default="open",
                max_length=10,
            ),
        ),
        *(
            migrations.RunSQL(LIST_PHASES.format(column=column), UNLIST_PHASES.format(column=column))
            for column in ("plan", "refused_plan")
        ),
    ]
