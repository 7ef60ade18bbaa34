"""Count in the database what changes for visitors, so that pages can be kept for them for as long as they are right."""

from django.db import migrations, models

# Once for each statement that really changes a row: the arguments are the columns that do not count.
CREATE_FUNCTION = """
    CREATE FUNCTION bcms_count_visitor_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'UPDATE' AND TG_NARGS > 0 AND to_jsonb(OLD) - TG_ARGV = to_jsonb(NEW) - TG_ARGV THEN
            RETURN NEW;
        END IF;
        IF current_setting('bcms.counted_statement', true) IS DISTINCT FROM statement_timestamp()::text THEN
            INSERT INTO bcms_visitorchange DEFAULT VALUES;
            PERFORM set_config('bcms.counted_statement', statement_timestamp()::text, true);
        END IF;
        IF TG_OP = 'DELETE' THEN
            RETURN OLD;
        END IF;
        RETURN NEW;
    END $$
"""
DROP_FUNCTION = "DROP FUNCTION bcms_count_visitor_change()"
CREATE_TRIGGERS = """
    CREATE TRIGGER visitor_change AFTER INSERT OR DELETE ON {table}
        FOR EACH ROW EXECUTE FUNCTION bcms_count_visitor_change();
    CREATE TRIGGER visitor_change_update AFTER UPDATE {of_columns} ON {table}
        FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION bcms_count_visitor_change({unseen});
"""
DROP_TRIGGERS = "DROP TRIGGER visitor_change ON {table}; DROP TRIGGER visitor_change_update ON {table}"
# Millions of entries are loaded by one statement, and triggers after it would remember each row. An entry that is only
# queued for look-up is shown as if there were none.
ENTRY_COLUMNS = (
    'database identifier "exists" withdrawn successors name symbol synonyms taxon location function genes parents source'
)
ENTRY_CHANGES = " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in ENTRY_COLUMNS.split())
CREATE_ENTRY_TRIGGERS = f"""
    CREATE TRIGGER visitor_change BEFORE INSERT ON annotations_entry
        FOR EACH ROW WHEN (NEW."exists" IS NOT NULL) EXECUTE FUNCTION bcms_count_visitor_change();
    CREATE TRIGGER visitor_change_update BEFORE UPDATE ON annotations_entry
        FOR EACH ROW WHEN ({ENTRY_CHANGES}) EXECUTE FUNCTION bcms_count_visitor_change();
    CREATE TRIGGER visitor_change_delete BEFORE DELETE ON annotations_entry
        FOR EACH ROW EXECUTE FUNCTION bcms_count_visitor_change();
"""
DROP_ENTRY_TRIGGERS = """
    DROP TRIGGER visitor_change ON annotations_entry;
    DROP TRIGGER visitor_change_update ON annotations_entry;
    DROP TRIGGER visitor_change_delete ON annotations_entry;
"""
TABLES = {
    "annotations_articlesnapshot": "",
    "annotations_articletakedown": "",
    "annotations_contribution": "",
    "annotations_corpus": "",
    "annotations_corpusarticle": "",
    "annotations_curation": "candidates_id changed notes pending revision running seconds showing",
    "annotations_curator": "",
    "annotations_curatorprofile": "",
    "annotations_producer": "raised_to renewed",
    "annotations_publishedabstract": "",
    "auth_user": "last_login password",
    "evaluation_calibration": "",
    "evaluation_challenge": "",
    "evaluation_corpusowner": "",
    "evaluation_excludedarticle": "",
    "evaluation_goldstandard": "",
    "evaluation_phase": "",
    "evaluation_phase_mean_rank_tasks": "",
    "evaluation_phaseevent": "",
    "evaluation_ranking": "",
    "evaluation_run": "errors_mailed",
    "evaluation_score": "",
    "evaluation_task": "",
    "servers_membership": "",
    "servers_queue": "end_is_news given_up rest_until stopped_on_id",
    "servers_server": "api_key batch_answers batch_limit failures_running lease_token lease_until mail_rhythm mail_topics misses probed secret_key strikes struck_since unreachable_since version",
    "servers_serverevent": "",
    "servers_team": "",
}


# Of the table whose rows change with each call; comparing rows would take a tenth of a millisecond each time.
COLUMNS = {
    "servers_server": "team_id name slug description stated_version url protocol method send kinds entity_types time_limit "
    "seconds_per_1000_characters connect_limit calls_per_minute largest_text articles_per_request confidential "
    "custom_parameters review state state_reason state_since created",
}


def make_triggers(table, unseen):
    arguments = ", ".join(f"'{column}'" for column in unseen.split())
    of_columns = f"OF {', '.join(COLUMNS[table].split())}" if table in COLUMNS else ""
    created = CREATE_TRIGGERS.format(table=table, unseen=arguments, of_columns=of_columns)
    return migrations.RunSQL(created, DROP_TRIGGERS.format(table=table))


class Migration(migrations.Migration):
    dependencies = [
        ("bcms", "0006_clock_reading"),
        ("annotations", "0029_suggestions_of_reviewers"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("evaluation", "0016_open_manual_annotations"),
        ("servers", "0021_count_begun_attempts"),
    ]

    operations = [
        migrations.CreateModel(
            name="VisitorChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveBigIntegerField(db_default=1, default=1)),
            ],
        ),
        migrations.RunSQL(CREATE_FUNCTION, DROP_FUNCTION),
        migrations.RunSQL(CREATE_ENTRY_TRIGGERS, DROP_ENTRY_TRIGGERS),
        *(make_triggers(table, unseen) for table, unseen in TABLES.items()),
    ]
