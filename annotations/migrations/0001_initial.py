import annotations.articles.models
import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.db import migrations, models

# The names of an entry, for an index: white space and dashes are removed as in bcms/lib/text.py. PostgreSQL calls
# array_to_string() stable because it takes arrays of any type; for text it always returns the same.
CREATE_NAMES_FUNCTION = r"""
    CREATE FUNCTION annotations_names(identifier text, symbol text, name text, synonyms text[], successors text[])
    RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
    BEGIN
        RETURN string_to_array(lower(regexp_replace(
            array_to_string(ARRAY[identifier, symbol, name]::text[] || synonyms || successors, E'\x1f'),
            E'[[:space:]\u00ad\u2010-\u2015\u2212\ufe58\ufe63\uff0d-]+', '', 'g')), E'\x1f');
    END
    $$
"""
DROP_NAMES_FUNCTION = "DROP FUNCTION annotations_names(text, text, text, text[], text[])"
# Lists read only the short columns of an article, so the long ones are kept outside the row. Compressing them would
# take an eighth of the time of an import and save 4 % of the words and a third of the texts.
SHORT_ROWS = """
    ALTER TABLE annotations_article SET (toast_tuple_target = 128);
    ALTER TABLE annotations_article
        ALTER COLUMN words SET STORAGE EXTERNAL, ALTER COLUMN passages SET STORAGE EXTERNAL,
        ALTER COLUMN text SET STORAGE EXTERNAL, ALTER COLUMN metadata SET STORAGE EXTERNAL
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.RunSQL(CREATE_NAMES_FUNCTION, DROP_NAMES_FUNCTION),
        migrations.CreateModel(
            name="Annotation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rank", models.PositiveIntegerField(blank=True, null=True)),
                ("confidence", models.FloatField(blank=True, null=True)),
                ("start", models.PositiveIntegerField(blank=True, null=True)),
                ("end", models.PositiveIntegerField(blank=True, null=True)),
                ("text", models.TextField(blank=True)),
                ("type", models.CharField(blank=True, max_length=100)),
                ("database", models.CharField(blank=True, max_length=32)),
                ("identifier", models.CharField(blank=True, max_length=64)),
                ("partner", models.CharField(blank=True, max_length=64)),
                ("taxon", models.PositiveIntegerField(blank=True, null=True)),
                ("relevant", models.BooleanField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Article",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("pmid", models.BigIntegerField(blank=True, null=True, unique=True)),
                ("doi", models.CharField(blank=True, db_index=True, max_length=255)),
                ("pmcid", models.CharField(blank=True, db_index=True, max_length=32)),
                (
                    "opaque",
                    models.CharField(
                        default=annotations.articles.models.make_opaque_identifier,
                        editable=False,
                        max_length=17,
                        unique=True,
                    ),
                ),
                ("passages", models.JSONField()),
                ("text", models.TextField()),
                ("text_version", models.PositiveIntegerField(default=1)),
                ("content_hash", models.CharField(max_length=64)),
                ("journal", models.CharField(blank=True, max_length=255)),
                ("year", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("metadata", models.JSONField(blank=True, default=dict)),
                ("version", models.PositiveBigIntegerField(db_default=1, default=1)),
                ("added", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "words",
                    annotations.articles.models.GeneratedWords(
                        db_persist=True,
                        expression=models.Func(
                            "passages",
                            template="(\n    setweight(jsonb_to_tsvector('english'::regconfig, jsonb_path_query_array(%(expressions)s,\n        '$[0].text'), '[\"string\"]'), 'A') ||\n    setweight(jsonb_to_tsvector('english'::regconfig, jsonb_path_query_array(%(expressions)s,\n        '$[1 to last] ? (@.type == \"abstract\").text'), '[\"string\"]'), 'B') ||\n    setweight(jsonb_to_tsvector('english'::regconfig, jsonb_path_query_array(%(expressions)s,\n        '$[1 to last] ? (@.type != \"abstract\").text'), '[\"string\"]'), 'D'))",
                        ),
                        output_field=annotations.articles.models.WordsField(),
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ArticleRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ident", models.CharField(max_length=255)),
                ("asked", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("finished", models.DateTimeField(blank=True, null=True)),
                ("problem", models.CharField(blank=True, max_length=500)),
            ],
        ),
        migrations.CreateModel(
            name="Corpus",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(unique=True)),
                ("name", models.CharField(max_length=200)),
                ("description", models.TextField(blank=True)),
                ("blind", models.BooleanField(default=False)),
            ],
            options={
                "verbose_name_plural": "corpora",
            },
        ),
        migrations.CreateModel(
            name="CorpusArticle",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
            ],
            options={
                "ordering": ["position"],
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("database", models.CharField(max_length=32)),
                ("identifier", models.CharField(max_length=64)),
                ("exists", models.BooleanField(blank=True, null=True)),
                ("withdrawn", models.BooleanField(db_default=False, default=False)),
                (
                    "successors",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64),
                        blank=True,
                        db_default=models.Value(
                            [],
                            output_field=django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=64), size=None
                            ),
                        ),
                        default=list,
                        size=None,
                    ),
                ),
                ("name", models.CharField(blank=True, help_text="preferred name", max_length=255)),
                ("symbol", models.CharField(blank=True, max_length=64)),
                (
                    "synonyms",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=500), blank=True, default=list, size=None
                    ),
                ),
                ("taxon", models.PositiveIntegerField(blank=True, null=True)),
                ("location", models.CharField(blank=True, db_default="", default="", max_length=255)),
                ("function", models.TextField(blank=True, db_default="", default="")),
                ("source", models.CharField(blank=True, max_length=64)),
                ("checked", models.DateTimeField(blank=True, null=True)),
                ("due", models.DateTimeField(blank=True, null=True)),
                ("reported", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "verbose_name_plural": "entries",
            },
        ),
        migrations.CreateModel(
            name="ImportedFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=255, unique=True)),
                (
                    "checksum",
                    models.CharField(help_text="SHA-256 of the file as downloaded, in hexadecimal", max_length=64),
                ),
                (
                    "records",
                    models.PositiveBigIntegerField(
                        default=0, help_text="number of records from the start of the file that are stored"
                    ),
                ),
                ("began", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("finished", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="OlderText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text_version", models.PositiveIntegerField()),
                ("passages", models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name="Pace",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=32, unique=True)),
                ("free", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Producer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "sort",
                    models.CharField(
                        choices=[
                            ("server", "Server"),
                            ("run", "Run"),
                            ("gold", "Gold"),
                            ("consensus", "Consensus"),
                            ("curator", "Curator"),
                            ("author", "Author"),
                        ],
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("public", models.BooleanField(default=False)),
                ("renewed", models.PositiveBigIntegerField(db_default=0, default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Reply",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("body", models.BinaryField()),
                ("size", models.PositiveIntegerField(help_text="bytes before compression")),
            ],
        ),
        migrations.CreateModel(
            name="Result",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text_version", models.PositiveIntegerField()),
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
                ("call", models.BigIntegerField(blank=True, null=True)),
                ("received", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("duration", models.FloatField(blank=True, help_text="seconds", null=True)),
                ("empty_reason", models.CharField(blank=True, max_length=200)),
                ("stated_version", models.CharField(blank=True, db_default="", default="", max_length=100)),
                ("superseded", models.DateTimeField(blank=True, null=True)),
                ("noted", models.BooleanField(db_default=False, default=False)),
            ],
        ),
        migrations.CreateModel(
            name="ArticleSummary",
            fields=[
                (
                    "article",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="standing",
                        serialize=False,
                        to="annotations.article",
                    ),
                ),
                ("version", models.PositiveBigIntegerField()),
                ("servers", models.PositiveIntegerField(default=0)),
                (
                    "producers",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                (
                    "named",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None),
                ),
                ("yes", models.PositiveIntegerField(default=0)),
                ("no", models.PositiveIntegerField(default=0)),
                ("balance", models.FloatField(blank=True, null=True)),
                ("disagreement", models.FloatField(blank=True, null=True)),
            ],
        ),
        migrations.AddIndex(
            model_name="article",
            index=django.contrib.postgres.indexes.GinIndex(fields=["words"], name="article_words"),
        ),
        migrations.AddIndex(
            model_name="article",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.search.SearchVector("journal", config="simple"), name="article_journal_words"
            ),
        ),
        migrations.AddIndex(
            model_name="article",
            index=models.Index(django.db.models.functions.text.Upper("doi"), name="article_doi"),
        ),
        migrations.AddIndex(
            model_name="article",
            index=models.Index(fields=["year"], name="article_year"),
        ),
        migrations.AddIndex(
            model_name="article",
            index=models.Index(
                django.db.models.functions.comparison.Coalesce("pmid", 0), models.F("id"), name="article_newest"
            ),
        ),
        migrations.AddField(
            model_name="articlerequest",
            name="article",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="annotations.article",
            ),
        ),
        migrations.AddField(
            model_name="corpusarticle",
            name="article",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to="annotations.article"),
        ),
        migrations.AddField(
            model_name="corpusarticle",
            name="corpus",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="annotations.corpus"),
        ),
        migrations.AddField(
            model_name="corpus",
            name="articles",
            field=models.ManyToManyField(
                related_name="corpora", through="annotations.CorpusArticle", to="annotations.article"
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                models.F("database"),
                models.OrderBy(models.F("due"), nulls_first=True),
                models.OrderBy(models.F("id"), descending=True),
                condition=models.Q(("reported", True)),
                name="entry_to_ask",
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("exists", False), ("reported", True)),
                fields=["database", "identifier"],
                name="entry_absent",
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=django.contrib.postgres.indexes.GinIndex(
                models.Func(
                    "identifier",
                    "symbol",
                    "name",
                    "synonyms",
                    "successors",
                    function="annotations_names",
                    output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None),
                ),
                name="entry_names",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(fields=("database", "identifier"), name="entry_once"),
        ),
        migrations.AddField(
            model_name="oldertext",
            name="article",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="older_texts", to="annotations.article"
            ),
        ),
        migrations.AddField(
            model_name="result",
            name="article",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="results", to="annotations.article"
            ),
        ),
        migrations.AddField(
            model_name="result",
            name="producer",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="results", to="annotations.producer"
            ),
        ),
        migrations.AddField(
            model_name="result",
            name="reply",
            field=models.ForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to="annotations.reply"
            ),
        ),
        migrations.AddField(
            model_name="annotation",
            name="result",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="annotations", to="annotations.result"
            ),
        ),
        migrations.AddIndex(
            model_name="articlesummary",
            index=django.contrib.postgres.indexes.GinIndex(fields=["named"], name="standing_named"),
        ),
        migrations.AddIndex(
            model_name="articlesummary",
            index=django.contrib.postgres.indexes.GinIndex(fields=["producers"], name="standing_producers"),
        ),
        migrations.AddIndex(
            model_name="articlesummary",
            index=models.Index(fields=["servers", "article"], name="standing_servers"),
        ),
        migrations.AddIndex(
            model_name="articlesummary",
            index=models.Index(
                django.db.models.functions.comparison.Coalesce("balance", -1.0),
                models.F("article"),
                name="standing_balance",
            ),
        ),
        migrations.AddIndex(
            model_name="articlesummary",
            index=models.Index(
                django.db.models.functions.comparison.Coalesce("disagreement", -1.0),
                models.F("article"),
                name="standing_disagreement",
            ),
        ),
        migrations.AddConstraint(
            model_name="articlerequest",
            constraint=models.UniqueConstraint(
                condition=models.Q(("finished__isnull", True)), fields=("ident",), name="one_open_request"
            ),
        ),
        migrations.AddConstraint(
            model_name="corpusarticle",
            constraint=models.UniqueConstraint(fields=("corpus", "article"), name="corpus_has_article_once"),
        ),
        migrations.AddConstraint(
            model_name="corpusarticle",
            constraint=models.UniqueConstraint(fields=("corpus", "position"), name="corpus_position_once"),
        ),
        migrations.AddConstraint(
            model_name="oldertext",
            constraint=models.UniqueConstraint(fields=("article", "text_version"), name="older_text_once"),
        ),
        migrations.AddIndex(
            model_name="result",
            index=models.Index(fields=["producer", "received"], name="result_of_producer_since"),
        ),
        migrations.AddIndex(
            model_name="result",
            index=models.Index(
                condition=models.Q(
                    ("kind__in", ["normalization", "taxon", "pair", "method", "passage"]), ("noted", False)
                ),
                fields=["-id"],
                name="result_not_noted",
            ),
        ),
        migrations.AddConstraint(
            model_name="result",
            constraint=models.UniqueConstraint(fields=("call", "kind"), name="result_once_per_call_and_kind"),
        ),
        migrations.AddConstraint(
            model_name="result",
            constraint=models.UniqueConstraint(
                condition=models.Q(("superseded__isnull", True)),
                fields=("article", "kind", "producer"),
                name="one_current_result",
            ),
        ),
        migrations.AddIndex(
            model_name="annotation",
            index=models.Index(
                condition=models.Q(("identifier", ""), _negated=True),
                fields=["database", "identifier"],
                name="annotation_of_identifier",
            ),
        ),
        migrations.AddIndex(
            model_name="annotation",
            index=models.Index(
                condition=models.Q(("partner", ""), _negated=True),
                fields=["database", "partner"],
                name="annotation_of_partner",
            ),
        ),
        migrations.AddConstraint(
            model_name="annotation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("confidence__isnull", True),
                    models.Q(("confidence__gt", 0), ("confidence__lte", 1)),
                    _connector="OR",
                ),
                name="confidence_in_0_1",
            ),
        ),
        migrations.AddConstraint(
            model_name="annotation",
            constraint=models.CheckConstraint(
                condition=models.Q(("rank__isnull", True), ("rank__gte", 1), _connector="OR"), name="rank_positive"
            ),
        ),
        migrations.AddConstraint(
            model_name="annotation",
            constraint=models.CheckConstraint(
                condition=models.Q(("start__isnull", True), ("end__gt", models.F("start")), _connector="OR"),
                name="mention_not_empty",
            ),
        ),
        migrations.RunSQL(SHORT_ROWS, migrations.RunSQL.noop),
    ]
