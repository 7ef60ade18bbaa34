"""Count what only pages of challenges show apart from the rest, so that articles stay as they are while runs are scored."""

from importlib import import_module

from django.db import migrations, models

# As in 0007, but for of_boards: a statement may change tables of both sorts, and counts once for each.
REPLACE_FUNCTION = """
    CREATE OR REPLACE FUNCTION bcms_count_visitor_change() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
        is_of_boards boolean := TG_TABLE_NAME IN ('evaluation_ranking', 'evaluation_score');
        counted text := 'bcms.counted_' || is_of_boards;
    BEGIN
        IF TG_OP = 'UPDATE' AND TG_NARGS > 0 AND to_jsonb(OLD) - TG_ARGV = to_jsonb(NEW) - TG_ARGV THEN
            RETURN NEW;
        END IF;
        IF current_setting(counted, true) IS DISTINCT FROM statement_timestamp()::text THEN
            INSERT INTO bcms_visitorchange (of_boards) VALUES (is_of_boards);
            PERFORM set_config(counted, statement_timestamp()::text, true);
        END IF;
        IF TG_OP = 'DELETE' THEN
            RETURN OLD;
        END IF;
        RETURN NEW;
    END $$
"""
FORMER = import_module("bcms.migrations.0007_visitor_changes").CREATE_FUNCTION
RESTORE_FUNCTION = FORMER.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")


class Migration(migrations.Migration):
    dependencies = [("bcms", "0007_visitor_changes")]

    operations = [
        migrations.AddField(
            model_name="visitorchange",
            name="of_boards",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.RunSQL(REPLACE_FUNCTION, RESTORE_FUNCTION),
    ]
