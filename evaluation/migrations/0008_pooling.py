import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0005_finding"),
        ("evaluation", "0007_labelling"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Pool",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("made", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("closed", models.DateTimeField(blank=True, null=True)),
                (
                    "closed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pools", to="evaluation.phase"
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pools", to="evaluation.task"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PooledPassage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("database", models.CharField(max_length=32)),
                ("first", models.CharField(max_length=64)),
                ("second", models.CharField(max_length=64)),
                ("passage", models.TextField()),
                ("relevant", models.BooleanField(blank=True, null=True)),
                ("best", models.BooleanField(blank=True, null=True)),
                (
                    "article",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotations.article"
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="passages", to="evaluation.pool"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Judgement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("relevant", models.BooleanField()),
                ("best", models.BooleanField()),
                ("adjudicates", models.BooleanField(db_default=False, default=False)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "seconds",
                    models.FloatField(
                        blank=True, help_text="from when it was shown, or the decision before", null=True
                    ),
                ),
                ("superseded", models.DateTimeField(blank=True, null=True)),
                (
                    "judge",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="judgements",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "passage",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judgements",
                        to="evaluation.pooledpassage",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PoolJudge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("adjudicates", models.BooleanField(db_default=False, default=False)),
                ("named", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="judges", to="evaluation.pool"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="judging", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="pool",
            constraint=models.UniqueConstraint(fields=("task", "phase"), name="pool_once"),
        ),
        migrations.AddConstraint(
            model_name="pooledpassage",
            constraint=models.UniqueConstraint(
                models.F("pool"),
                models.F("article"),
                models.F("first"),
                models.F("second"),
                django.db.models.functions.text.MD5("passage"),
                name="pooled_passage_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="judgement",
            constraint=models.UniqueConstraint(
                condition=models.Q(("adjudicates", False), ("superseded__isnull", True)),
                fields=("passage", "judge"),
                name="one_current_judgement",
            ),
        ),
        migrations.AddConstraint(
            model_name="judgement",
            constraint=models.UniqueConstraint(
                condition=models.Q(("adjudicates", True), ("superseded__isnull", True)),
                fields=("passage",),
                name="one_adjudication",
            ),
        ),
        migrations.AddConstraint(
            model_name="judgement",
            constraint=models.CheckConstraint(
                condition=models.Q(("best", False), ("relevant", True), _connector="OR"), name="best_is_relevant"
            ),
        ),
        migrations.AddConstraint(
            model_name="pooljudge",
            constraint=models.UniqueConstraint(fields=("pool", "user"), name="pool_judge_once"),
        ),
    ]
