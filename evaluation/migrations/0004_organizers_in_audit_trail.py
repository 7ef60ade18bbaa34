"""Keep who added and removed organizers in the audit trail, instead of in a table of its own."""

from django.db import migrations

ACTIONS = {"named": "challenge.organizer_added", "released": "challenge.organizer_removed"}


def copy_to_audit_trail(apps, schema_editor):
    AuditEvent = apps.get_model("servers", "AuditEvent")
    rows = apps.get_model("evaluation", "OrganizerEvent").objects.select_related("challenge").order_by("pk")
    AuditEvent.objects.bulk_create(
        AuditEvent(
            at=row.at,
            action=ACTIONS[row.what],
            actor_id=row.by_id,
            person_id=row.organizer_id,
            challenge_id=row.challenge_id,
            subject=row.challenge.name[:300],
        )
        for row in rows
    )


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0003_repair_option_of_uploads"), ("servers", "0003_audit_trail")]

    operations = [
        migrations.RunPython(copy_to_audit_trail, migrations.RunPython.noop),
        migrations.DeleteModel(name="OrganizerEvent"),
    ]
