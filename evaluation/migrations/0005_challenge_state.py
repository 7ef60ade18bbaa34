from django.db import migrations, models

STATES = [
    ("draft", "draft: only organizers see it"),
    ("listed", "listed: everybody sees it, and teams can take part"),
    ("closed", "closed: everybody sees it, and nobody can enter or upload"),
    ("archived", "archived: closed, and listed apart"),
]


class Migration(migrations.Migration):
    """Challenges that exist are listed; new ones begin as drafts."""

    dependencies = [("evaluation", "0004_organizers_in_audit_trail")]

    operations = [
        migrations.AddField(
            model_name="challenge",
            name="state",
            field=models.CharField(choices=STATES, db_default="listed", default="listed", max_length=8),
        ),
        migrations.AlterField(
            model_name="challenge",
            name="state",
            field=models.CharField(choices=STATES, db_default="draft", default="draft", max_length=8),
        ),
    ]
