import datetime
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import evaluation.challenges.validators
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("annotations", "0001_initial"),
        ("servers", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Challenge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("slug", models.SlugField(unique=True)),
                ("description", models.TextField(blank=True)),
                (
                    "entrance",
                    models.CharField(
                        choices=[("open", "every team"), ("invited", "only teams that the organizers invite")],
                        db_default="open",
                        default="open",
                        max_length=7,
                    ),
                ),
                (
                    "terms",
                    models.TextField(
                        blank=True, db_default="", help_text="terms that a team accepts before it takes part"
                    ),
                ),
                ("approve_teams", models.BooleanField(db_default=False, default=False)),
                (
                    "file_rules",
                    models.CharField(
                        choices=[
                            ("library", "ranks and confidences are optional (evaluation library)"),
                            ("bc25", "rank and confidence are required, ranks have no gaps (BioCreative II.5)"),
                            ("bc3", "every result needs a confidence (BioCreative III)"),
                        ],
                        db_default="library",
                        default="library",
                        max_length=7,
                    ),
                ),
                ("organizers", models.ManyToManyField(related_name="challenges", to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name="ChallengeArchive",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("asked", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("begun", models.PositiveSmallIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("finished", models.DateTimeField(blank=True, null=True)),
                ("failed", models.BooleanField(default=False)),
                ("size", models.PositiveBigIntegerField(default=0, help_text="bytes")),
                ("sha256", models.CharField(blank=True, max_length=64)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "challenge",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="archive", to="evaluation.challenge"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ArchivePiece",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("body", models.BinaryField()),
                (
                    "archive",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pieces",
                        to="evaluation.challengearchive",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CorpusOwner",
            fields=[
                (
                    "corpus",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="owner",
                        serialize=False,
                        to="annotations.corpus",
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="own_corpora",
                        to="evaluation.challenge",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Entrant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("accepted", models.DateTimeField(blank=True, null=True)),
                ("accepted_terms", models.TextField(blank=True, db_default="")),
                ("approved", models.DateTimeField(blank=True, null=True)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="accepted_entrants",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "approved_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="approved_entrants",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entrants", to="evaluation.challenge"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entrants", to="servers.team"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="GoldStandard",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sealed", models.BinaryField(blank=True, null=True)),
                ("published", models.DateTimeField(blank=True, null=True)),
                ("publish_asked", models.DateTimeField(blank=True, null=True)),
                ("checksum", models.CharField(help_text="SHA-256 of the file", max_length=64)),
                ("source", models.CharField(blank=True, max_length=300)),
                ("imported", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "producer",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="gold",
                        to="annotations.producer",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Alternatives",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("places", models.BinaryField(help_text="JSON, {article id: [[start, end], ...]}")),
                ("checksum", models.CharField(help_text="SHA-256 of the file", max_length=64)),
                ("source", models.CharField(max_length=300)),
                (
                    "gold",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="alternatives",
                        to="evaluation.goldstandard",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Labeller",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("released", models.DateTimeField(blank=True, null=True)),
                ("again", models.BooleanField(default=False)),
                ("before", models.DurationField(default=datetime.timedelta(0))),
                ("running", models.DateTimeField(blank=True, null=True)),
                ("paused", models.BooleanField(default=False)),
                ("showing", models.PositiveIntegerField(default=0)),
                (
                    "article",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotations.article",
                    ),
                ),
                (
                    "producer",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="labeller", to="annotations.producer"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="labellers",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Label",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("again", models.BooleanField(default=False)),
                ("relevant", models.BooleanField(blank=True, null=True)),
                ("seconds", models.FloatField()),
                ("capped", models.BooleanField(default=False)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("superseded", models.DateTimeField(blank=True, null=True)),
                (
                    "article",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotations.article"
                    ),
                ),
                (
                    "labeller",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="labels", to="evaluation.labeller"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Labelling",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "order",
                    models.CharField(
                        choices=[("given", "in the order of the corpus"), ("likely", "likely relevant articles first")],
                        default="given",
                        max_length=6,
                    ),
                ),
                (
                    "again_every",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "none"), (20, "every 20th (5 %)"), (10, "every 10th (10 %)")], default=20
                    ),
                ),
                (
                    "guideline",
                    models.TextField(blank=True, help_text="what counts as relevant; shown beside every article"),
                ),
                ("begun", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="labellings",
                        to="evaluation.challenge",
                    ),
                ),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="labellings", to="annotations.corpus"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="labeller",
            name="labelling",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="labellers", to="evaluation.labelling"
            ),
        ),
        migrations.CreateModel(
            name="ManualAnnotationSet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("mention", "Mentions"),
                            ("normalization", "Genes and proteins"),
                            ("taxon", "Organisms"),
                            ("classification", "Interaction article"),
                            ("pair", "Interaction pairs"),
                            ("method", "Methods"),
                            ("passage", "Evidence passages"),
                        ],
                        max_length=14,
                    ),
                ),
                ("source", models.CharField(max_length=300)),
                ("checksum", models.CharField(help_text="SHA-256 in hexadecimal", max_length=64)),
                ("brought", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="by_hand", to="evaluation.challenge"
                    ),
                ),
                (
                    "corpus",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotations.corpus"
                    ),
                ),
                (
                    "producer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="by_hand", to="annotations.producer"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="OrganizerEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("what", models.CharField(choices=[("named", "Named"), ("released", "Released")], max_length=8)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="organizer_events",
                        to="evaluation.challenge",
                    ),
                ),
                (
                    "organizer",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Phase",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "sort",
                    models.CharField(
                        choices=[("training", "Training"), ("development", "Development"), ("test", "Test")],
                        max_length=11,
                    ),
                ),
                ("opens", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("closes", models.DateTimeField(blank=True, null=True)),
                ("published", models.DateTimeField(blank=True, null=True)),
                ("publish_asked", models.DateTimeField(blank=True, null=True)),
                (
                    "publish_fault",
                    models.CharField(
                        blank=True, db_default="", help_text="why the phase could not be published", max_length=500
                    ),
                ),
                ("names_shown", models.DateTimeField(blank=True, null=True)),
                ("online_runs", models.PositiveSmallIntegerField(db_default=5, default=5)),
                ("offline_runs", models.PositiveSmallIntegerField(db_default=5, default=5)),
                (
                    "upload_caps",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="{kind: largest number of results for an article in an uploaded run}",
                        validators=[evaluation.challenges.validators.check_caps],
                    ),
                ),
                (
                    "minutes",
                    models.PositiveSmallIntegerField(
                        db_default=10, default=10, help_text="time limit per article, including retries"
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(db_default=5, default=5, help_text="attempts per article")),
                ("may_withdraw", models.BooleanField(db_default=False, default=False)),
                ("final_first", models.BooleanField(db_default=False, default=False)),
                ("closes_live", models.BooleanField(db_default=False, default=False)),
                ("frozen", models.DateTimeField(blank=True, null=True)),
                ("begun", models.DateTimeField(blank=True, null=True)),
                ("ended", models.DateTimeField(blank=True, null=True)),
                ("reminded", models.DateTimeField(blank=True, null=True)),
                ("revision", models.PositiveIntegerField(db_default=0, default=0)),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="phases", to="evaluation.challenge"
                    ),
                ),
                ("corpus", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to="annotations.corpus")),
            ],
        ),
        migrations.AddField(
            model_name="goldstandard",
            name="phase",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="golds", to="evaluation.phase"
            ),
        ),
        migrations.CreateModel(
            name="ExcludedArticle",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=500)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "article",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotations.article"
                    ),
                ),
                (
                    "by",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="excluded", to="evaluation.phase"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PhaseEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
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
                    models.CharField(
                        blank=True, help_text="details of the change, such as the new date", max_length=200
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=500)),
                (
                    "by",
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="events", to="evaluation.phase"
                    ),
                ),
            ],
        ),
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
                ("pseudonym", models.CharField(blank=True, db_default="", default="", max_length=20)),
                ("relevant", models.BooleanField()),
                ("best", models.BooleanField()),
                ("adjudicates", models.BooleanField(db_default=False, default=False)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "seconds",
                    models.FloatField(
                        blank=True, help_text="since the passage was shown, or since the previous judgement", null=True
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
                ("pseudonym", models.CharField(blank=True, db_default="", default="", max_length=20)),
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
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judging",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RestoredChallenge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("checksum", models.CharField(max_length=64)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "challenge",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="restored", to="evaluation.challenge"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Ruling",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("relevant", models.BooleanField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("superseded", models.DateTimeField(blank=True, null=True)),
                (
                    "article",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotations.article"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "labelling",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rulings", to="evaluation.labelling"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                (
                    "sort",
                    models.CharField(
                        choices=[("online", "Online"), ("upload", "Upload"), ("baseline", "Baseline")], max_length=8
                    ),
                ),
                ("final", models.BooleanField(db_default=False, default=False)),
                ("withdrawn", models.DateTimeField(blank=True, null=True)),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="evaluation.phase"
                    ),
                ),
                (
                    "producer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="annotations.producer"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="servers.team",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Calibration",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("checksum", models.CharField(help_text="of the gold standard at that time", max_length=64)),
                (
                    "way",
                    models.CharField(
                        choices=[("isotonic", "isotonic regression"), ("platt", "Platt's sigmoid"), ("none", "None")],
                        max_length=8,
                    ),
                ),
                ("why_none", models.CharField(blank=True, max_length=300)),
                (
                    "knots",
                    models.JSONField(
                        default=list,
                        help_text="[[confidence, share of correct answers], ...], joined by straight lines",
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(
                        help_text="answers with a confidence, for articles of the gold standard"
                    ),
                ),
                ("right", models.PositiveIntegerField(help_text="correct ones of these")),
                ("brier", models.FloatField(blank=True, null=True)),
                ("log_loss", models.FloatField(blank=True, null=True)),
                ("brier_fitted", models.FloatField(blank=True, null=True)),
                ("log_loss_fitted", models.FloatField(blank=True, null=True)),
                ("tenths", models.JSONField(default=list)),
                ("tenths_fitted", models.JSONField(default=list)),
                (
                    "cut_by",
                    models.CharField(
                        blank=True, choices=[("confidence", "Confidence"), ("rank", "Rank")], max_length=10
                    ),
                ),
                ("cut_value", models.FloatField(blank=True, null=True)),
                ("cut_fap", models.FloatField(blank=True, null=True)),
                ("seen", models.CharField(max_length=150)),
                ("fitted", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "gold",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="calibrations",
                        to="evaluation.goldstandard",
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="calibration", to="evaluation.run"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Score",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("scenario", models.CharField(db_default="all", default="all", max_length=32)),
                ("absent", models.CharField(blank=True, db_default="", max_length=300)),
                ("figures", models.JSONField(help_text="{measure name: value, or null when undefined}")),
                (
                    "intervals",
                    models.JSONField(default=dict, help_text="{measure name: [low, high]}, 95 % confidence intervals"),
                ),
                ("curve", models.JSONField(default=list, help_text="[[recall, precision], ...] in list order")),
                ("articles", models.PositiveIntegerField(help_text="number of articles of the gold standard")),
                (
                    "answered",
                    models.PositiveIntegerField(help_text="of these, articles with a Result, which may be empty"),
                ),
                (
                    "confidence",
                    models.FloatField(blank=True, help_text="mean of the annotations of these articles", null=True),
                ),
                ("seconds_mean", models.FloatField(blank=True, null=True)),
                ("seconds_median", models.FloatField(blank=True, null=True)),
                ("seconds_slowest", models.FloatField(blank=True, null=True)),
                ("table", models.BinaryField(default=bytes)),
                (
                    "samples",
                    models.PositiveIntegerField(
                        db_default=0, default=0, help_text="number of bootstrap samples for the intervals"
                    ),
                ),
                ("seed", models.PositiveIntegerField(db_default=0, default=0)),
                (
                    "checksum",
                    models.CharField(
                        blank=True, db_default="", help_text="of the gold standard at that time", max_length=64
                    ),
                ),
                ("version", models.CharField(blank=True, db_default="", help_text="of the software", max_length=32)),
                ("signature", models.CharField(max_length=700)),
                ("seen", models.CharField(max_length=150)),
                ("computed", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "took",
                    models.FloatField(
                        db_default=0, default=0, help_text="seconds of computation, for all scenarios of the run"
                    ),
                ),
                ("superseded", models.DateTimeField(blank=True, null=True)),
                (
                    "gold",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="scores", to="evaluation.goldstandard"
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="scores", to="evaluation.run"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Task",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=20)),
                ("title", models.CharField(max_length=200)),
                (
                    "note",
                    models.TextField(
                        blank=True, help_text="description of the gold standard, shown on the leaderboard"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("mention", "Mentions"),
                            ("normalization", "Genes and proteins"),
                            ("taxon", "Organisms"),
                            ("classification", "Interaction article"),
                            ("pair", "Interaction pairs"),
                            ("method", "Methods"),
                            ("passage", "Evidence passages"),
                        ],
                        max_length=14,
                    ),
                ),
                ("primary", models.CharField(help_text="measure that orders the leaderboard", max_length=32)),
                (
                    "further",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=32),
                        blank=True,
                        db_default=models.Value(
                            [],
                            output_field=django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=64), size=None
                            ),
                        ),
                        default=list,
                        help_text="further measures on the leaderboard, in order; empty: all measures of the kind",
                        size=None,
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tasks", to="evaluation.challenge"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="run",
            name="task",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="evaluation.task"
            ),
        ),
        migrations.CreateModel(
            name="Ranking",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("scenario", models.CharField(max_length=32)),
                ("measure", models.CharField(max_length=32)),
                ("scores", models.JSONField(default=list, help_text="ids of the compared scores")),
                ("counts", models.JSONField(default=list)),
                ("untested", models.CharField(blank=True, help_text="why there are no tests", max_length=300)),
                ("samples", models.PositiveIntegerField(default=0)),
                ("seed", models.PositiveIntegerField(default=0)),
                (
                    "ensemble",
                    models.JSONField(
                        blank=True,
                        help_text="the EnsembleScore without its table, and p of the test against the best run",
                        null=True,
                    ),
                ),
                ("version", models.CharField(blank=True, help_text="version of the software", max_length=32)),
                ("readers", models.JSONField(default=list, help_text="list of ReaderTests")),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("computed", models.DateTimeField(blank=True, null=True)),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rankings", to="evaluation.phase"
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rankings", to="evaluation.task"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="pool",
            name="task",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="pools", to="evaluation.task"
            ),
        ),
        migrations.AddField(
            model_name="goldstandard",
            name="task",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="golds", to="evaluation.task"
            ),
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("message", models.TextField(blank=True)),
                ("source", models.CharField(help_text="name of the file", max_length=200)),
                ("size", models.PositiveIntegerField(help_text="bytes")),
                ("sha256", models.CharField(max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting to be checked"),
                            ("checking", "being checked"),
                            ("storing", "being stored"),
                            ("taken", "stored as a run"),
                            ("refused", "rejected"),
                            ("failed", "failed because of an error of the site"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("format", models.CharField(blank=True, max_length=16)),
                ("note", models.TextField(blank=True, help_text="how the file was interpreted")),
                ("faults", models.JSONField(default=list)),
                ("warnings", models.JSONField(default=list)),
                (
                    "unknown",
                    models.PositiveIntegerField(
                        default=0, help_text="number of articles in the file that are not in the phase"
                    ),
                ),
                ("unknown_names", models.JSONField(default=list, help_text="the first of these articles")),
                ("received", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("finished", models.DateTimeField(blank=True, null=True)),
                ("begun", models.PositiveSmallIntegerField(db_default=0, default=0)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="uploads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uploads", to="evaluation.phase"
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="upload",
                        to="evaluation.run",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uploads", to="evaluation.task"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="uploads", to="servers.team"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="UploadedFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("body", models.BinaryField()),
                (
                    "upload",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="file", to="evaluation.upload"
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="challengearchive",
            index=models.Index(condition=models.Q(("finished__isnull", True)), fields=["id"], name="archive_to_make"),
        ),
        migrations.AddConstraint(
            model_name="archivepiece",
            constraint=models.UniqueConstraint(fields=("archive", "number"), name="archive_piece_once"),
        ),
        migrations.AddConstraint(
            model_name="entrant",
            constraint=models.UniqueConstraint(fields=("challenge", "team"), name="entrant_once"),
        ),
        migrations.AddConstraint(
            model_name="label",
            constraint=models.UniqueConstraint(
                condition=models.Q(("superseded__isnull", True)),
                fields=("labeller", "article", "again"),
                name="one_current_label",
            ),
        ),
        migrations.AddConstraint(
            model_name="labelling",
            constraint=models.UniqueConstraint(fields=("challenge", "corpus"), name="labelling_once"),
        ),
        migrations.AddConstraint(
            model_name="labeller",
            constraint=models.UniqueConstraint(fields=("labelling", "user"), name="labeller_once"),
        ),
        migrations.AddConstraint(
            model_name="manualannotationset",
            constraint=models.UniqueConstraint(fields=("producer", "kind"), name="by_hand_once"),
        ),
        migrations.AddConstraint(
            model_name="phase",
            constraint=models.UniqueConstraint(fields=("challenge", "sort"), name="phase_once"),
        ),
        migrations.AddConstraint(
            model_name="excludedarticle",
            constraint=models.UniqueConstraint(fields=("phase", "article"), name="excluded_once"),
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
                condition=models.Q(
                    ("adjudicates", False), ("superseded__isnull", True), models.Q(("pseudonym", ""), _negated=True)
                ),
                fields=("passage", "pseudonym"),
                name="one_current_judgement_by_pseudonym",
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
        migrations.AddConstraint(
            model_name="pooljudge",
            constraint=models.UniqueConstraint(
                condition=models.Q(("user__isnull", True)), fields=("pool", "pseudonym"), name="pool_pseudonym_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="pooljudge",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("pseudonym", ""), ("user__isnull", False)),
                    models.Q(("user__isnull", True), models.Q(("pseudonym", ""), _negated=True)),
                    _connector="OR",
                ),
                name="pool_judge_is_somebody",
            ),
        ),
        migrations.AddConstraint(
            model_name="ruling",
            constraint=models.UniqueConstraint(
                condition=models.Q(("superseded__isnull", True)),
                fields=("labelling", "article"),
                name="one_current_ruling",
            ),
        ),
        migrations.AddConstraint(
            model_name="score",
            constraint=models.UniqueConstraint(
                condition=models.Q(("superseded__isnull", True)), fields=("run", "scenario"), name="one_current_score"
            ),
        ),
        migrations.AddConstraint(
            model_name="task",
            constraint=models.UniqueConstraint(fields=("challenge", "name"), name="task_once"),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(fields=("task", "phase", "producer"), name="run_once"),
        ),
        migrations.AddConstraint(
            model_name="ranking",
            constraint=models.UniqueConstraint(
                fields=("task", "phase", "scenario", "measure"), name="one_ranking_of_a_board"
            ),
        ),
        migrations.AddConstraint(
            model_name="pool",
            constraint=models.UniqueConstraint(fields=("task", "phase"), name="pool_once"),
        ),
        migrations.AddConstraint(
            model_name="goldstandard",
            constraint=models.UniqueConstraint(fields=("task", "phase"), name="gold_once"),
        ),
        migrations.AddConstraint(
            model_name="goldstandard",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("producer__isnull", True), ("sealed__isnull", False)),
                    models.Q(("producer__isnull", False), ("sealed__isnull", True)),
                    _connector="OR",
                ),
                name="gold_sealed_or_stored",
            ),
        ),
        migrations.AddIndex(
            model_name="upload",
            index=models.Index(
                condition=models.Q(("state__in", ["waiting", "checking", "storing"])), fields=["id"], name="upload_open"
            ),
        ),
    ]
