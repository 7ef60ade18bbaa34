import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import servers.calls.states
import servers.notifications.events
import servers.notifications.models
import servers.registry.models
import servers.registry.states
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("annotations", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Server",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("slug", models.SlugField(max_length=100, unique=True)),
                ("description", models.TextField(blank=True)),
                ("stated_version", models.CharField(blank=True, db_default="", default="", max_length=100)),
                ("url", models.URLField(max_length=500)),
                (
                    "protocol",
                    models.CharField(
                        choices=[
                            ("bcms", "BCMS XML-RPC"),
                            ("rest", "BCMS JSON-REST"),
                            ("pubannotation", "PubAnnotation annotator"),
                            ("becalm", "BeCalm (TIPS), which calls back"),
                        ],
                        default="bcms",
                        max_length=16,
                    ),
                ),
                ("method", models.CharField(default="Annotator.getAnnotation", max_length=100)),
                (
                    "send",
                    models.CharField(
                        choices=[
                            ("pmid", "the PMID"),
                            ("text", "the plain text"),
                            ("struct", "a struct with id, title, abstract and text"),
                        ],
                        default="struct",
                        max_length=6,
                    ),
                ),
                (
                    "kinds",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
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
                        size=None,
                    ),
                ),
                (
                    "time_limit",
                    models.PositiveIntegerField(
                        default=600,
                        help_text="seconds per article, at most 600",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(600),
                        ],
                    ),
                ),
                (
                    "calls_per_minute",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="maximum; empty for no limit",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "largest_text",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="maximum length of an article in characters; longer articles are not sent. Empty for no limit",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                (
                    "api_key",
                    models.CharField(
                        default=servers.registry.models.generate_server_key, editable=False, max_length=40
                    ),
                ),
                (
                    "secret_key",
                    models.CharField(
                        default=servers.registry.models.generate_server_key, editable=False, max_length=40
                    ),
                ),
                ("custom_parameters", models.JSONField(blank=True, default=dict)),
                (
                    "mail_topics",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[("failure", "failure"), ("completed", "completed"), ("fail", "fail")], max_length=9
                        ),
                        blank=True,
                        default=servers.registry.models.list_topic_values,
                        size=None,
                    ),
                ),
                (
                    "mail_rhythm",
                    models.CharField(
                        choices=[("at-once", "at-once"), ("daily", "daily")],
                        default=servers.notifications.events.MailFrequency["AT_ONCE"],
                        max_length=7,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("offline", "offline"),
                            ("online", "online"),
                            ("halting", "halting"),
                            ("fail", "fail"),
                        ],
                        default=servers.registry.states.ServerState["OFFLINE"],
                        max_length=8,
                    ),
                ),
                ("state_reason", models.CharField(blank=True, max_length=500)),
                ("state_since", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("failures_running", models.PositiveIntegerField(default=0)),
                ("misses", models.PositiveIntegerField(db_default=0, default=0)),
                ("unreachable_since", models.DateTimeField(blank=True, null=True)),
                ("strikes", models.PositiveIntegerField(db_default=0, default=0)),
                ("struck_since", models.DateTimeField(blank=True, null=True)),
                ("probed", models.DateTimeField(blank=True, null=True)),
                ("lease_token", models.UUIDField(blank=True, null=True, unique=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("version", models.PositiveBigIntegerField(db_default=1, default=1)),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name="Call",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "priority",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "Front Page"), (1, "Test"), (2, "Training"), (3, "Live")]
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("asking", "asking"),
                            ("pending", "pending"),
                            ("answered", "answered"),
                            ("empty", "empty"),
                            ("failed", "failed"),
                        ],
                        default=servers.calls.states.CallState["WAITING"],
                        max_length=8,
                    ),
                ),
                ("due", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "tries",
                    models.PositiveSmallIntegerField(default=0, help_text="tries that count; crashes and stops do not"),
                ),
                ("task_url", models.TextField(blank=True)),
                ("expires", models.DateTimeField(blank=True, null=True)),
                ("reason", models.TextField(blank=True)),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("finished", models.DateTimeField(blank=True, null=True)),
                (
                    "article",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="calls", to="annotations.article"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveSmallIntegerField()),
                ("started", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("text_version", models.PositiveIntegerField(db_default=1, default=1)),
                ("finished", models.DateTimeField(blank=True, null=True)),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("under way", "under way"),
                            ("answered", "answered"),
                            ("empty", "empty"),
                            ("invalid", "invalid"),
                            ("connection", "connection"),
                            ("communication", "communication"),
                            ("no answer in time", "no answer in time"),
                            ("halted", "halted"),
                            ("lost", "lost"),
                            ("our fault", "our fault"),
                        ],
                        default=servers.calls.states.Outcome["UNDER_WAY"],
                        max_length=20,
                    ),
                ),
                ("phases", models.JSONField(blank=True, default=dict)),
                (
                    "diagnosis",
                    models.CharField(blank=True, help_text="stable code, servers/calls/diagnosis.py", max_length=40),
                ),
                ("message", models.TextField(blank=True, help_text="what happened and what to do, for the team")),
                ("annotations", models.PositiveIntegerField(db_default=0, default=0)),
                ("document_bytes", models.PositiveIntegerField(db_default=0, default=0)),
                ("broken_rules", models.JSONField(blank=True, default=list)),
                ("request", models.BinaryField(default=b"", help_text="the first 64 KiB")),
                ("answer", models.BinaryField(default=b"", help_text="the first 64 KiB")),
                (
                    "call",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="attempts", to="servers.call"
                    ),
                ),
                (
                    "server",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempts",
                        to="servers.server",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Callback",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("received", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("form", models.CharField(max_length=8)),
                ("body", models.BinaryField()),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="callback", to="servers.attempt"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("manager", "Manager"), ("member", "Member")], default="member", max_length=7
                    ),
                ),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name="Queue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "mode",
                    models.CharField(
                        choices=[("live", "live"), ("training", "training"), ("test", "test")], max_length=8
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        blank=True, help_text="the phase, when there are several of one mode", max_length=100
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "running"),
                            ("resting", "resting"),
                            ("stopped", "stopped"),
                            ("done", "done"),
                        ],
                        default=servers.calls.states.QueueState["RUNNING"],
                        max_length=7,
                    ),
                ),
                ("rest_until", models.DateTimeField(blank=True, null=True)),
                ("end_is_news", models.BooleanField(db_default=False, default=False)),
                ("minutes", models.PositiveSmallIntegerField(blank=True, help_text="per article", null=True)),
                ("tries", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("held", models.BooleanField(db_default=False, default=False)),
                (
                    "producer",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="queue", to="annotations.producer"
                    ),
                ),
                (
                    "stopped_on",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="servers.call",
                    ),
                ),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="queues", to="servers.server"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="call",
            name="queue",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="calls", to="servers.queue"
            ),
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "happening",
                    models.CharField(
                        choices=[
                            ("server-failed", "server-failed"),
                            ("queue-stopped", "queue-stopped"),
                            ("server-unreached", "server-unreached"),
                            ("article-failed", "article-failed"),
                            ("queue-done", "queue-done"),
                            ("test", "test"),
                        ],
                        max_length=16,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("due", models.DateTimeField()),
                ("told", models.DateTimeField(blank=True, null=True)),
                (
                    "call",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="servers.call",
                    ),
                ),
                (
                    "queue",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="servers.queue",
                    ),
                ),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="notices", to="servers.server"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Maintenance",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("starts", models.DateTimeField()),
                ("ends", models.DateTimeField()),
                ("reason", models.CharField(blank=True, max_length=200)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="maintenance", to="servers.server"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="MailPreference",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("wanted", models.BooleanField()),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="mail_wishes", to="servers.server"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="HourTally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("answered", models.PositiveIntegerField(default=0)),
                ("empty", models.PositiveIntegerField(default=0)),
                ("invalid", models.PositiveIntegerField(default=0)),
                ("connection", models.PositiveIntegerField(default=0)),
                ("communication", models.PositiveIntegerField(default=0)),
                ("no_answer", models.PositiveIntegerField(default=0)),
                ("documents", models.PositiveIntegerField(default=0)),
                ("annotations", models.PositiveBigIntegerField(default=0)),
                ("document_bytes", models.PositiveBigIntegerField(default=0)),
                (
                    "seconds",
                    models.FloatField(
                        default=0.0, help_text="sum of the times from the last byte sent to the last byte received"
                    ),
                ),
                ("slowest", models.FloatField(blank=True, help_text="seconds", null=True)),
                (
                    "round_trips",
                    models.FloatField(default=0.0, help_text="seconds; for each answer at most its response time"),
                ),
                ("acknowledged", models.PositiveIntegerField(default=0)),
                ("acknowledgement_seconds", models.FloatField(default=0.0)),
                ("begins", models.DateTimeField()),
                ("buckets", models.JSONField(default=dict)),
                ("settled", models.BooleanField(default=False)),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="servers.server"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Figures",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("answered", models.PositiveIntegerField(default=0)),
                ("empty", models.PositiveIntegerField(default=0)),
                ("invalid", models.PositiveIntegerField(default=0)),
                ("connection", models.PositiveIntegerField(default=0)),
                ("communication", models.PositiveIntegerField(default=0)),
                ("no_answer", models.PositiveIntegerField(default=0)),
                ("documents", models.PositiveIntegerField(default=0)),
                ("annotations", models.PositiveBigIntegerField(default=0)),
                ("document_bytes", models.PositiveBigIntegerField(default=0)),
                (
                    "seconds",
                    models.FloatField(
                        default=0.0, help_text="sum of the times from the last byte sent to the last byte received"
                    ),
                ),
                ("slowest", models.FloatField(blank=True, help_text="seconds", null=True)),
                (
                    "round_trips",
                    models.FloatField(default=0.0, help_text="seconds; for each answer at most its response time"),
                ),
                ("acknowledged", models.PositiveIntegerField(default=0)),
                ("acknowledgement_seconds", models.FloatField(default=0.0)),
                (
                    "window",
                    models.CharField(
                        choices=[("24h", "24h"), ("7d", "7d"), ("30d", "30d"), ("90d", "90d")], max_length=3
                    ),
                ),
                ("until", models.DateTimeField()),
                ("observed", models.FloatField(default=0.0)),
                ("down", models.FloatField(default=0.0)),
                ("down_or_paused", models.FloatField(default=0.0)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("down_now", models.BooleanField(default=False)),
                ("p50", models.FloatField(blank=True, null=True)),
                ("p90", models.FloatField(blank=True, null=True)),
                ("p95", models.FloatField(blank=True, null=True)),
                ("p99", models.FloatField(blank=True, null=True)),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="figures", to="servers.server"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Downtime",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sort", models.CharField(choices=[("down", "Down"), ("paused", "Paused")], max_length=6)),
                ("started", models.DateTimeField()),
                ("ended", models.DateTimeField(blank=True, null=True)),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="downtimes", to="servers.server"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="DayUptime",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("observed", models.FloatField()),
                ("down", models.FloatField()),
                ("down_or_paused", models.FloatField()),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="days", to="servers.server"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="DayTally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("answered", models.PositiveIntegerField(default=0)),
                ("empty", models.PositiveIntegerField(default=0)),
                ("invalid", models.PositiveIntegerField(default=0)),
                ("connection", models.PositiveIntegerField(default=0)),
                ("communication", models.PositiveIntegerField(default=0)),
                ("no_answer", models.PositiveIntegerField(default=0)),
                ("documents", models.PositiveIntegerField(default=0)),
                ("annotations", models.PositiveBigIntegerField(default=0)),
                ("document_bytes", models.PositiveBigIntegerField(default=0)),
                (
                    "seconds",
                    models.FloatField(
                        default=0.0, help_text="sum of the times from the last byte sent to the last byte received"
                    ),
                ),
                ("slowest", models.FloatField(blank=True, help_text="seconds", null=True)),
                (
                    "round_trips",
                    models.FloatField(default=0.0, help_text="seconds; for each answer at most its response time"),
                ),
                ("acknowledged", models.PositiveIntegerField(default=0)),
                ("acknowledgement_seconds", models.FloatField(default=0.0)),
                ("begins", models.DateTimeField()),
                ("buckets", models.JSONField(default=dict)),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="servers.server"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="call",
            name="server",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="calls", to="servers.server"
            ),
        ),
        migrations.CreateModel(
            name="ServerEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "before",
                    models.CharField(
                        choices=[
                            ("offline", "offline"),
                            ("online", "online"),
                            ("halting", "halting"),
                            ("fail", "fail"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "after",
                    models.CharField(
                        choices=[
                            ("offline", "offline"),
                            ("online", "online"),
                            ("halting", "halting"),
                            ("fail", "fail"),
                        ],
                        max_length=8,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=500)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="events", to="servers.server"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Team",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100, unique=True)),
                ("slug", models.SlugField(max_length=100, unique=True)),
                (
                    "members",
                    models.ManyToManyField(
                        related_name="teams", through="servers.Membership", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="server",
            name="team",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="servers", to="servers.team"
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="team",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="servers.team"),
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.EmailField(help_text="in lower case", max_length=254)),
                (
                    "role",
                    models.CharField(
                        choices=[("manager", "Manager"), ("member", "Member")], default="member", max_length=7
                    ),
                ),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("accepted", models.DateTimeField(blank=True, null=True)),
                (
                    "invited_by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="servers.team"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Trial",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("fields", models.JSONField()),
                ("started", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("finished", models.DateTimeField(blank=True, null=True)),
                ("report", models.JSONField(blank=True, default=dict)),
                ("request", models.BinaryField(default=b"", help_text="the first 64 KiB")),
                ("answer", models.BinaryField(default=b"", help_text="the first 64 KiB")),
                (
                    "reference",
                    models.PositiveIntegerField(
                        db_index=True, default=servers.registry.models.generate_trial_reference
                    ),
                ),
                ("callback_form", models.CharField(blank=True, max_length=8)),
                (
                    "callback",
                    models.BinaryField(default=b"", help_text="complete until it is validated, then the first 64 KiB"),
                ),
                (
                    "article",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotations.article",
                    ),
                ),
                ("by", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                (
                    "server",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trials",
                        to="servers.server",
                    ),
                ),
                ("team", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="servers.team")),
            ],
        ),
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("url", models.CharField(max_length=500)),
                (
                    "topics",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[("failure", "failure"), ("completed", "completed"), ("fail", "fail")], max_length=9
                        ),
                        size=None,
                    ),
                ),
                ("active", models.BooleanField(default=True)),
                ("reason", models.CharField(blank=True, max_length=500)),
                (
                    "secret",
                    models.CharField(
                        default=servers.notifications.models.generate_webhook_secret, editable=False, max_length=60
                    ),
                ),
                ("old_secret", models.CharField(blank=True, editable=False, max_length=60)),
                ("secret_since", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("misses", models.PositiveIntegerField(default=0)),
                ("failing_since", models.DateTimeField(blank=True, null=True)),
                ("rest_until", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="webhooks", to="servers.server"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "happening",
                    models.CharField(
                        choices=[
                            ("server-failed", "server-failed"),
                            ("queue-stopped", "queue-stopped"),
                            ("server-unreached", "server-unreached"),
                            ("article-failed", "article-failed"),
                            ("queue-done", "queue-done"),
                            ("test", "test"),
                        ],
                        max_length=16,
                    ),
                ),
                ("body", models.TextField()),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "waiting"), ("delivered", "delivered"), ("failed", "failed")],
                        default=servers.notifications.events.DeliveryState["WAITING"],
                        max_length=9,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("due", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("created", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("tried", models.DateTimeField(blank=True, null=True)),
                ("status", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("answer", models.TextField(blank=True)),
                ("error", models.TextField(blank=True)),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="servers.webhook"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="queue",
            constraint=models.UniqueConstraint(fields=("server", "mode", "name"), name="queue_once"),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(condition=models.Q(("told__isnull", True)), fields=["due"], name="notices_by_due"),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(fields=["server", "happening", "told"], name="notices_of_server"),
        ),
        migrations.AddIndex(
            model_name="maintenance",
            index=models.Index(fields=["server", "ends"], name="maintenance_by_end"),
        ),
        migrations.AddConstraint(
            model_name="maintenance",
            constraint=models.CheckConstraint(
                condition=models.Q(("ends__gt", models.F("starts"))), name="maintenance_ends_after_start"
            ),
        ),
        migrations.AddConstraint(
            model_name="mailpreference",
            constraint=models.UniqueConstraint(fields=("server", "user"), name="mail_wish_once"),
        ),
        migrations.AddIndex(
            model_name="hourtally",
            index=models.Index(condition=models.Q(("settled", False)), fields=["begins"], name="hours_to_count_again"),
        ),
        migrations.AddConstraint(
            model_name="hourtally",
            constraint=models.UniqueConstraint(fields=("server", "begins"), name="hour_tally_once"),
        ),
        migrations.AddConstraint(
            model_name="figures",
            constraint=models.UniqueConstraint(fields=("server", "window"), name="figures_once"),
        ),
        migrations.AddIndex(
            model_name="downtime",
            index=models.Index(fields=["server", "ended"], name="downtimes_by_end"),
        ),
        migrations.AddConstraint(
            model_name="downtime",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended__isnull", True)),
                fields=("server", "sort"),
                name="one_open_downtime_of_a_sort",
            ),
        ),
        migrations.AddConstraint(
            model_name="dayuptime",
            constraint=models.UniqueConstraint(fields=("server", "day"), name="day_uptime_once"),
        ),
        migrations.AddConstraint(
            model_name="daytally",
            constraint=models.UniqueConstraint(fields=("server", "begins"), name="day_tally_once"),
        ),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(
                condition=models.Q(("state", servers.calls.states.CallState["WAITING"])),
                fields=["queue", "priority", "due", "id"],
                name="next_call_of_queue",
            ),
        ),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(fields=["queue", "state"], name="calls_of_queue_by_state"),
        ),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(fields=["article", "state"], name="calls_of_article_by_state"),
        ),
        migrations.AddConstraint(
            model_name="call",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("state__in", [servers.calls.states.CallState["ASKING"], servers.calls.states.CallState["PENDING"]])
                ),
                fields=("server",),
                name="one_call_in_flight",
            ),
        ),
        migrations.AddConstraint(
            model_name="call",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    (
                        "state__in",
                        [
                            servers.calls.states.CallState["ASKING"],
                            servers.calls.states.CallState["PENDING"],
                            servers.calls.states.CallState["WAITING"],
                        ],
                    )
                ),
                fields=("queue", "article"),
                name="article_open_once",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["call", "number"], name="attempts_of_call"),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["server", "-id"], name="newest_attempts_of_server"),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=django.contrib.postgres.indexes.BrinIndex(
                autosummarize=True, fields=["started"], name="attempts_by_time", pages_per_range=16
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(fields=("team", "user"), name="member_once"),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.UniqueConstraint(
                condition=models.Q(("accepted__isnull", True)), fields=("team", "email"), name="invitation_open_once"
            ),
        ),
        migrations.AddIndex(
            model_name="trial",
            index=models.Index(fields=["by", "started"], name="trials_of_person"),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(
                condition=models.Q(("state", servers.notifications.events.DeliveryState["WAITING"])),
                fields=["webhook", "due"],
                name="deliveries_by_due",
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["webhook", "-created"], name="newest_deliveries"),
        ),
    ]
