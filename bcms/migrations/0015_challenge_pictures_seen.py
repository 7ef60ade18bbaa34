"""Count pictures, which pages of challenges show, among what changes for visitors."""

from importlib import import_module

from django.db import migrations

make_triggers = import_module("bcms.migrations.0007_visitor_changes").make_triggers


class Migration(migrations.Migration):
    dependencies = [("bcms", "0014_weekly_reports_unseen"), ("evaluation", "0023_challenge_pictures")]

    operations = [make_triggers("evaluation_challengepicture", "alternative_text file_name uploaded")]
