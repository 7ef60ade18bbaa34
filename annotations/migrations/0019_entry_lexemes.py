import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
from django.db import migrations, models

# The regularized names as they are, and the words of the name and of the synonyms but the first of each, after a space,
# which no regularized name has. Functions that an index uses find no others by name, so the names are an argument.
CREATE_LEXEMES_FUNCTION = r"""
    CREATE FUNCTION annotations_name_lexemes(names text[], name text, synonyms text[])
    RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
    BEGIN
        RETURN array_to_tsvector(array_remove(array_remove(names || string_to_array(regexp_replace(regexp_replace(
            lower(array_to_string(name || synonyms, E'\x1f')),
            E'(^|\x1f)[^[:alnum:]\x1f]*[[:alnum:]]+', E'\\1', 'g'),
            E'[^[:alnum:]\x1f]+', E'\x1f ', 'g'), E'\x1f'), ' '), ''));
    END
    $$
"""
DROP_LEXEMES_FUNCTION = "DROP FUNCTION annotations_name_lexemes(text[], text, text[])"
TEXTS = django.contrib.postgres.fields.ArrayField(models.TextField())


class Migration(migrations.Migration):
    dependencies = [("annotations", "0018_curation_projects")]

    operations = [
        migrations.RunSQL(CREATE_LEXEMES_FUNCTION, DROP_LEXEMES_FUNCTION),
        migrations.RemoveIndex(model_name="entry", name="entry_names_by_prefix"),
        migrations.AddIndex(
            model_name="entry",
            index=django.contrib.postgres.indexes.GinIndex(
                models.Func(
                    models.Func(
                        *("identifier", "symbol", "name", "synonyms", "successors"),
                        function="annotations_names",
                        output_field=TEXTS,
                    ),
                    *("name", "synonyms"),
                    function="annotations_name_lexemes",
                    output_field=django.contrib.postgres.search.SearchVectorField(),
                ),
                name="entry_lexemes",
                gin_pending_list_limit=256,
            ),
        ),
    ]
