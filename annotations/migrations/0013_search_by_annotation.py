import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.db import migrations, models

# What searches compare. A gene identifier is of a gene or, in UniProt, of a protein; a pair is an interaction. The text
# of a mention is folded as in bcms/lib/text.py; more than 200 characters would not fit into an index.
CREATE_FUNCTIONS = r"""
    CREATE FUNCTION annotations_entity_type(kind text, type text, database text)
    RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT CASE
            WHEN kind IN ('mention', 'entity') THEN nullif(type, '')
            WHEN kind = 'normalization' THEN CASE database WHEN 'uniprot' THEN 'Protein' ELSE 'Gene' END
            WHEN kind = 'taxon' THEN 'Species'
        END
    $$;
    CREATE FUNCTION annotations_relation_type(kind text, type text)
    RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT CASE WHEN kind = 'relation' THEN nullif(type, '') WHEN kind IN ('pair', 'passage') THEN 'interaction' END
    $$;
    CREATE FUNCTION annotations_folded_text(text text)
    RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
    BEGIN
        RETURN lower(regexp_replace(
            left(text, 200), E'[[:space:]\u00ad\u2010-\u2015\u2212\ufe58\ufe63\uff0d-]+', '', 'g'));
    END
    $$;
    CREATE FUNCTION annotations_relates(detail jsonb, curies text[], other_curies text[])
    RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT EXISTS (
            SELECT FROM jsonb_array_elements(detail -> 'a') WITH ORDINALITY AS one (value, position),
                jsonb_array_elements(detail -> 'a') WITH ORDINALITY AS other (value, position)
            WHERE one.position <> other.position
                AND one.value -> 'i' ?| curies AND other.value -> 'i' ?| other_curies
        )
    $$
"""
DROP_FUNCTIONS = """
    DROP FUNCTION annotations_entity_type(text, text, text);
    DROP FUNCTION annotations_relation_type(text, text);
    DROP FUNCTION annotations_folded_text(text);
    DROP FUNCTION annotations_relates(jsonb, text[], text[])
"""
# PostgreSQL does not use the statistics of partial indexes to estimate how many mentions have a text.
CREATE_STATISTICS = "CREATE STATISTICS annotation_texts ON annotations_folded_text(text) FROM annotations_annotation"
# A worker computes the summaries again, as versions of articles begin at 1.
MARK_SUMMARIES_OUTDATED = "UPDATE annotations_articlesummary SET version = 0 WHERE producers <> '{}'"
TEXTS = django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)


class Migration(migrations.Migration):
    # No row is rewritten for the new columns, which have constant defaults. The new indexes read all annotations and
    # entries.
    dependencies = [("annotations", "0012_moved_results")]

    operations = [
        migrations.RunSQL(CREATE_FUNCTIONS, DROP_FUNCTIONS),
        migrations.AddField(
            model_name="articlesummary",
            name="terms",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(),
                db_default=models.Value([], output_field=TEXTS),
                default=list,
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="articlesummary",
            name="best_confidences",
            field=models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AddIndex(
            model_name="annotation",
            index=models.Index(
                models.Func("text", function="annotations_folded_text", output_field=models.TextField()),
                condition=models.Q(("start__isnull", False)),
                name="annotation_of_text",
            ),
        ),
        migrations.RunSQL(CREATE_STATISTICS, "DROP STATISTICS annotation_texts"),
        migrations.RunSQL(MARK_SUMMARIES_OUTDATED, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="articlesummary",
            index=django.contrib.postgres.indexes.GinIndex(fields=["terms"], name="standing_terms"),
        ),
        migrations.CreateModel(
            name="AnnotatedTerm",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "category",
                    models.CharField(
                        choices=[("type", "Type"), ("relation", "Relation"), ("entity", "Entity")], max_length=8
                    ),
                ),
                ("value", models.TextField()),
                ("articles", models.PositiveIntegerField(db_default=1, default=1)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("category", "value"), name="annotated_term_once"),
                ],
            },
        ),
        migrations.AddField(
            model_name="entry", name="listed", field=models.BooleanField(db_default=False, default=False)
        ),
        migrations.AddIndex(
            model_name="entry",
            index=django.contrib.postgres.indexes.GinIndex(
                models.Func(
                    models.Func(
                        models.Func(
                            *("identifier", "symbol", "name", "synonyms", "successors"),
                            function="annotations_names",
                            output_field=TEXTS,
                        ),
                        models.Value(""),
                        function="array_remove",
                        output_field=TEXTS,
                    ),
                    function="array_to_tsvector",
                    output_field=django.contrib.postgres.search.SearchVectorField(),
                ),
                name="entry_names_by_prefix",
            ),
        ),
    ]
