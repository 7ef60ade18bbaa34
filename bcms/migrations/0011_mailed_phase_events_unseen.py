"""Do not count that events of phases are mailed among what changes for visitors: no page shows it."""

from importlib import import_module

from django.db import migrations

triggers = import_module("bcms.migrations.0007_visitor_changes")
TABLE = "evaluation_phaseevent"


class Migration(migrations.Migration):
    dependencies = [("bcms", "0010_announcements_seen"), ("evaluation", "0020_mailed_phase_events")]

    operations = [
        migrations.RunSQL(
            triggers.DROP_TRIGGERS.format(table=TABLE), triggers.CREATE_TRIGGERS.format(table=TABLE, of_columns="", unseen="")
        ),
        triggers.make_triggers(TABLE, "mailed to_mail"),
    ]
