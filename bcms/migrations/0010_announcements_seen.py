"""Count announcements, which pages of challenges show, among what changes for visitors."""

from importlib import import_module

from django.db import migrations

make_triggers = import_module("bcms.migrations.0007_visitor_changes").make_triggers


class Migration(migrations.Migration):
    dependencies = [("bcms", "0009_corpus_file"), ("evaluation", "0017_talk_about_challenges")]

    operations = [make_triggers("evaluation_announcement", "mailed mails")]
