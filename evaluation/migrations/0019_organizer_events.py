import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now

PERSON = {"null": True, "blank": True, "on_delete": django.db.models.deletion.SET_NULL, "related_name": "+"}


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("evaluation", "0018_owners_by_labelling"),
    ]

    operations = [
        migrations.CreateModel(
            name="OrganizerEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_default=Now())),
                (
                    "what",
                    models.CharField(choices=[("named", "Named"), ("released", "Released")], max_length=8),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="organizer_events",
                        to="evaluation.challenge",
                    ),
                ),
                ("organizer", models.ForeignKey(to=settings.AUTH_USER_MODEL, **PERSON)),
                ("by", models.ForeignKey(to=settings.AUTH_USER_MODEL, **PERSON)),
            ],
        ),
    ]
