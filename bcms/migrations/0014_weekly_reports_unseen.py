"""Do not count when the weekly report of a member is due among what changes for visitors: no page shows it to them."""

from importlib import import_module

from django.db import migrations

triggers = import_module("bcms.migrations.0007_visitor_changes")
TABLE = "servers_membership"


class Migration(migrations.Migration):
    dependencies = [("bcms", "0013_pasted_texts_unseen"), ("servers", "0025_weekly_reports")]

    operations = [
        migrations.RunSQL(triggers.DROP_TRIGGERS.format(table=TABLE), triggers.make_triggers(TABLE, "").sql),
        triggers.make_triggers(TABLE, "report_due"),
    ]
