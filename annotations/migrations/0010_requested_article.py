import django.db.models.deletion
from django.db import migrations, models

FILL = """
    UPDATE annotations_articlerequest AS request SET article_id = article.id
    FROM annotations_article AS article WHERE article.pmid = request.pmid
"""


class Migration(migrations.Migration):
    """An article of PubMed Central alone has no PMID that it could have come under."""

    dependencies = [("annotations", "0009_uncompressed_texts")]

    operations = [
        migrations.AddField(
            "articlerequest",
            "article",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="annotations.article",
            ),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RemoveField("articlerequest", "pmid"),
    ]
