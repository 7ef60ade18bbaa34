import annotations.models
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

NOW = django.db.models.functions.datetime.Now()
PHASE_FIELDS = [
    ("publish_asked", models.DateTimeField(blank=True, null=True)),
    ("publish_fault", models.CharField(blank=True, db_default="", help_text="why it could not", max_length=500)),
    ("names_shown", models.DateTimeField(blank=True, null=True)),
    ("online_runs", models.PositiveSmallIntegerField(db_default=5, default=5)),
    ("offline_runs", models.PositiveSmallIntegerField(db_default=5, default=5)),
    ("upload_cap", models.PositiveIntegerField(blank=True, null=True)),
    (
        "minutes",
        models.PositiveSmallIntegerField(db_default=10, default=10, help_text="per article, all waiting included"),
    ),
    ("tries", models.PositiveSmallIntegerField(db_default=5, default=5, help_text="of an article that fails")),
    ("may_withdraw", models.BooleanField(db_default=False, default=False)),
    ("final_first", models.BooleanField(db_default=False, default=False)),
    ("closes_live", models.BooleanField(db_default=False, default=False)),
    ("frozen", models.DateTimeField(blank=True, null=True)),
    ("begun", models.DateTimeField(blank=True, null=True)),
    ("ended", models.DateTimeField(blank=True, null=True)),
    ("reminded", models.DateTimeField(blank=True, null=True)),
    ("revision", models.PositiveIntegerField(db_default=0, default=0)),
]


def person(related_name):
    return models.ForeignKey(
        blank=True,
        null=True,
        on_delete=django.db.models.deletion.SET_NULL,
        related_name=related_name,
        to=settings.AUTH_USER_MODEL,
    )


def of_phase(related_name):
    return models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE, related_name=related_name, to="evaluation.phase"
    )


def key():
    return models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0001_initial"),
        ("servers", "0001_initial"),
        ("evaluation", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            "challenge",
            "entrance",
            models.CharField(
                choices=[("open", "every team"), ("invited", "the teams that the organizers name")],
                db_default="open",
                default="open",
                max_length=7,
            ),
        ),
        migrations.AddField(
            "challenge",
            "terms",
            models.TextField(blank=True, db_default="", help_text="what a team accepts before it takes part"),
        ),
        migrations.AddField(
            "challenge", "approve_teams", models.BooleanField(db_default=False, default=False)
        ),
        migrations.AddField(
            "task",
            "further",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=32),
                blank=True,
                db_default=annotations.models.EMPTY_ARRAY,
                default=list,
                help_text="names of the measures shown beside it, in order; empty: all of the kind",
                size=None,
            ),
        ),
        migrations.AlterField(
            "phase",
            "sort",
            models.CharField(
                choices=[("training", "Training"), ("development", "Development"), ("test", "Test")], max_length=11
            ),
        ),
        *(migrations.AddField("phase", name, field) for name, field in PHASE_FIELDS),
        migrations.AddField("goldstandard", "sealed", models.BinaryField(blank=True, null=True)),
        migrations.AddField("goldstandard", "published", models.DateTimeField(blank=True, null=True)),
        migrations.AlterField(
            "goldstandard",
            "producer",
            models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="gold",
                to="annotations.producer",
            ),
        ),
        migrations.AddConstraint(
            "goldstandard",
            models.CheckConstraint(
                condition=models.Q(producer__isnull=True, sealed__isnull=False)
                | models.Q(producer__isnull=False, sealed__isnull=True),
                name="gold_sealed_or_stored",
            ),
        ),
        migrations.CreateModel(
            "Entrant",
            [
                ("id", key()),
                ("accepted", models.DateTimeField(blank=True, null=True)),
                ("accepted_by", person("accepted_entrants")),
                ("approved", models.DateTimeField(blank=True, null=True)),
                ("approved_by", person("approved_entrants")),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="entrants",
                        to="evaluation.challenge",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entrants", to="servers.team"
                    ),
                ),
            ],
            {"constraints": [models.UniqueConstraint(fields=("challenge", "team"), name="entrant_once")]},
        ),
        migrations.CreateModel(
            "ExcludedArticle",
            [
                ("id", key()),
                ("reason", models.CharField(max_length=500)),
                ("at", models.DateTimeField(db_default=NOW)),
                (
                    "article",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotations.article"
                    ),
                ),
                ("by", person("+")),
                ("phase", of_phase("excluded")),
            ],
            {"constraints": [models.UniqueConstraint(fields=("phase", "article"), name="excluded_once")]},
        ),
        migrations.CreateModel(
            "PhaseEvent",
            [
                ("id", key()),
                ("at", models.DateTimeField(db_default=NOW)),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("begun", "Begun"),
                            ("ended", "Ended"),
                            ("frozen", "Frozen"),
                            ("thawed", "unfrozen"),
                            ("moved", "end moved"),
                            ("excluded", "article excluded"),
                            ("included", "article included again"),
                            ("rescored", "scored again"),
                            ("published", "Published"),
                        ],
                        max_length=9,
                    ),
                ),
                (
                    "words",
                    models.CharField(blank=True, help_text="what changed, such as the new date", max_length=200),
                ),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("by", person("+")),
                ("phase", of_phase("events")),
            ],
        ),
    ]
