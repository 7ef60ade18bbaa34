import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """Judgements that come out of an archive are by pseudonyms."""

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("evaluation", "0013_labels_without_account"),
    ]

    operations = [
        migrations.AlterField(
            "pooljudge",
            "user",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="judging",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            "pooljudge", "pseudonym", models.CharField(blank=True, db_default="", default="", max_length=20)
        ),
        migrations.AddField(
            "judgement", "pseudonym", models.CharField(blank=True, db_default="", default="", max_length=20)
        ),
        migrations.AddConstraint(
            "pooljudge",
            models.UniqueConstraint(
                condition=Q(user__isnull=True), fields=("pool", "pseudonym"), name="pool_pseudonym_once"
            ),
        ),
        migrations.AddConstraint(
            "pooljudge",
            models.CheckConstraint(
                condition=Q(user__isnull=False, pseudonym="") | Q(user__isnull=True) & ~Q(pseudonym=""),
                name="pool_judge_is_somebody",
            ),
        ),
        migrations.AddConstraint(
            "judgement",
            models.UniqueConstraint(
                condition=Q(superseded__isnull=True, adjudicates=False) & ~Q(pseudonym=""),
                fields=("passage", "pseudonym"),
                name="one_current_judgement_by_pseudonym",
            ),
        ),
    ]
