"""Do not count whether servers take pasted texts among what changes for visitors: no page shows it to them."""

from importlib import import_module

from django.db import migrations

triggers = import_module("bcms.migrations.0007_visitor_changes")
TABLE = "servers_server"
UNSEEN = triggers.TABLES[TABLE]


class Migration(migrations.Migration):
    dependencies = [("bcms", "0012_corpus_files_of_tests"), ("servers", "0024_pasted_texts")]

    operations = [
        migrations.RunSQL(triggers.DROP_TRIGGERS.format(table=TABLE), triggers.make_triggers(TABLE, UNSEEN).sql),
        triggers.make_triggers(TABLE, f"accepts_pasted_texts {UNSEEN}"),
    ]
