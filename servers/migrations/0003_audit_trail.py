"""Create the audit trail, whose rows the database refuses to change and to delete."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

REFUSE = """
    CREATE FUNCTION servers_refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'The audit trail is append-only: its rows cannot be changed or deleted.'
        USING ERRCODE = 'insufficient_privilege';
    END $$;
    CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON servers_auditevent
        FOR EACH ROW EXECUTE FUNCTION servers_refuse_audit_change();
    CREATE TRIGGER audit_not_truncated BEFORE TRUNCATE ON servers_auditevent
        FOR EACH STATEMENT EXECUTE FUNCTION servers_refuse_audit_change();
"""
ALLOW = """
    DROP TRIGGER audit_append_only ON servers_auditevent;
    DROP TRIGGER audit_not_truncated ON servers_auditevent;
    DROP FUNCTION servers_refuse_audit_change();
"""


def make_person_key():
    return models.ForeignKey(
        null=True,
        db_constraint=False,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
        to=settings.AUTH_USER_MODEL,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("servers", "0002_attempt_outcome_unavailable"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("action", models.CharField(help_text="an AuditAction", max_length=32)),
                ("team_id", models.BigIntegerField(null=True)),
                ("challenge_id", models.BigIntegerField(null=True)),
                (
                    "subject",
                    models.CharField(blank=True, help_text="what was changed, by its public name", max_length=300),
                ),
                ("before", models.JSONField(default=dict)),
                ("after", models.JSONField(default=dict)),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("actor", make_person_key()),
                ("person", make_person_key()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["team_id", "-id"], name="audit_of_team"),
                    models.Index(fields=["challenge_id", "-id"], name="audit_of_challenge"),
                    models.Index(fields=["action", "-id"], name="audit_by_action"),
                    models.Index(fields=["person", "-id"], name="audit_of_person"),
                ],
            },
        ),
        migrations.RunSQL(REFUSE, ALLOW),
    ]
