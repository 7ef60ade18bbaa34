import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Coalesce, Upper

import annotations.models

# White space and dashes are taken out, as bcms/lib/text.py does. array_to_string() is only called stable because it
# takes arrays of anything; of text it always makes the same.
NAMES = r"""
    CREATE FUNCTION annotations_names(identifier text, symbol text, name text, synonyms text[], successors text[])
    RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
    BEGIN
        RETURN string_to_array(lower(regexp_replace(
            array_to_string(ARRAY[identifier, symbol, name]::text[] || synonyms || successors, E'\x1f'),
            E'[[:space:]\u00ad\u2010-\u2015\u2212\ufe58\ufe63\uff0d-]+', '', 'g')), E'\x1f');
    END
    $$
"""
# What lists read of an article becomes short: the long columns are fetched only where they are read.
SHORT_ROWS = "ALTER TABLE annotations_article SET (toast_tuple_target = 128)"
WEIGHTED = """(
    setweight(jsonb_to_tsvector('english'::regconfig, jsonb_path_query_array(%(expressions)s,
        '$[0].text'), '["string"]'), 'A') ||
    setweight(jsonb_to_tsvector('english'::regconfig, jsonb_path_query_array(%(expressions)s,
        '$[1 to last] ? (@.type == "abstract").text'), '["string"]'), 'B') ||
    setweight(jsonb_to_tsvector('english'::regconfig, jsonb_path_query_array(%(expressions)s,
        '$[1 to last] ? (@.type != "abstract").text'), '["string"]'), 'D'))"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0004_entry_descriptions"),
    ]

    operations = [
        migrations.RunSQL(SHORT_ROWS, "ALTER TABLE annotations_article RESET (toast_tuple_target)"),
        migrations.RemoveIndex(model_name="article", name="article_text_search"),
        migrations.AddField(
            model_name="article",
            name="words",
            field=annotations.models.GeneratedWords(
                expression=models.Func("passages", template=WEIGHTED),
                output_field=annotations.models.WordsField(),
                db_persist=True,
            ),
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
            index=models.Index(Upper("doi"), name="article_doi"),
        ),
        migrations.AddIndex(
            model_name="article",
            index=models.Index(fields=["year"], name="article_year"),
        ),
        migrations.AddIndex(
            model_name="article",
            index=models.Index(Coalesce("pmid", 0), "id", name="article_newest"),
        ),
        migrations.CreateModel(
            name="Standing",
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
            options={
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(fields=["named"], name="standing_named"),
                    django.contrib.postgres.indexes.GinIndex(fields=["producers"], name="standing_producers"),
                    models.Index(fields=["servers", "article"], name="standing_servers"),
                    models.Index(Coalesce("balance", -1.0), models.F("article"), name="standing_balance"),
                    models.Index(Coalesce("disagreement", -1.0), models.F("article"), name="standing_disagreement"),
                ],
            },
        ),
        migrations.RunSQL(NAMES, "DROP FUNCTION annotations_names(text, text, text, text[], text[])"),
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
    ]
